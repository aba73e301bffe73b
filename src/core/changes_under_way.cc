#include "core/changes_under_way.h"

#include <algorithm>

#include "core/resource_queue.h"

namespace helve::core {

ChangesUnderWay::Place::Place(ChangesUnderWay& all, std::vector<Resource> resources) : all_(&all) {
  const std::lock_guard lock(all.mutex_);
  place_ = all.calls_.insert(all.calls_.end(), std::move(resources));
}

ChangesUnderWay::Place::~Place() {
  if (all_ == nullptr) return;
  const std::lock_guard lock(all_->mutex_);
  all_->calls_.erase(place_);
}

bool ChangesUnderWay::Place::is_alone() const {
  const std::lock_guard lock(all_->mutex_);
  return std::ranges::none_of(
      all_->calls_, [&](const auto& other) { return &other != &*place_ && conflict(other, *place_); });
}

}  // namespace helve::core
