// Calls that may change something and are waiting for approval or running. A preview cannot know their
// effects.
#pragma once

#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "helve/tool.h"

namespace helve::core {

// May be used from all threads; outlives its places.
class ChangesUnderWay {
 public:
  // One call, for as long as it lives.
  class Place {
   public:
    Place(ChangesUnderWay& all, std::vector<Resource> resources);
    Place(Place&& other) noexcept : all_(std::exchange(other.all_, nullptr)), place_(other.place_) {}
    Place& operator=(Place&&) = delete;
    ~Place();

    // True when no other call may touch the same resources.
    [[nodiscard]] bool is_alone() const;

   private:
    ChangesUnderWay* all_;
    std::list<std::vector<Resource>>::iterator place_;
  };

 private:
  std::mutex mutex_;
  std::list<std::vector<Resource>> calls_;
};

}  // namespace helve::core
