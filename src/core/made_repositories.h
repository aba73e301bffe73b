// The repositories that jobs of this runtime have created.
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include "repository/repository_index.h"

namespace helve::core {

// May be used from all threads.
class MadeRepositories {
 public:
  void add(const repository::Found& found) {
    const std::lock_guard lock(mutex_);
    made_.insert(found);
  }
  // The repository now belongs to the user.
  void remove(const repository::Found& found) {
    const std::lock_guard lock(mutex_);
    made_.erase(found);
  }
  [[nodiscard]] bool contains(const repository::Found& found) const {
    const std::lock_guard lock(mutex_);
    return made_.contains(found);
  }

 private:
  mutable std::mutex mutex_;
  std::set<repository::Found> made_;
};

}  // namespace helve::core
