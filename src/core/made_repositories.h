// The repositories that commands have made while this runtime lives.
#pragma once

#include <mutex>
#include <set>
#include <vector>

#include "repository/repository_index.h"

namespace helve {

// May be used from all threads.
class MadeRepositories {
 public:
  void add(const repository::Found& found) {
    const std::lock_guard lock(mutex_);
    made_.insert(found);
  }
  // It is the user's now.
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

}  // namespace helve
