// Runs calls on different resources in parallel, and calls on the same resource in order of arrival.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helve/tool.h"

namespace helve::core {

// A claim waits only for earlier claims, so there are no deadlocks. May be used from all threads.
class ResourceQueue {
 public:
  struct Claim;

  // The place of one call in the queue. Destroying it leaves the queue.
  class Place {
   public:
    Place() = default;
    Place(ResourceQueue* queue, std::shared_ptr<Claim> claim) : queue_(queue), claim_(std::move(claim)) {}
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept {
      leave();
      queue_ = other.queue_;
      claim_ = std::move(other.claim_);
      return *this;
    }
    ~Place() { leave(); }
    void leave();

   private:
    ResourceQueue* queue_ = nullptr;
    std::shared_ptr<Claim> claim_;
  };

  // A place whose turn has come, if no earlier claim conflicts. Takes the resources then.
  [[nodiscard]] std::optional<Place> enter_if_free(std::vector<Resource>& resources);
  // `on_turn` is called once, when no earlier claim conflicts: at once, or later from another thread.
  [[nodiscard]] Place enter(std::vector<Resource> resources, std::function<void()> on_turn);

 private:
  void leave(const std::shared_ptr<Claim>& claim);

  std::mutex mutex_;
  std::list<std::shared_ptr<Claim>> claims_;  // in order of arrival
};

// Whether two resources, or any of two lists, conflict.
[[nodiscard]] bool conflict(const Resource& a, const Resource& b);
[[nodiscard]] bool conflict(const std::vector<Resource>& a, const std::vector<Resource>& b);

// The resource with a normalised path: relative to the workspace, without "." and "..".
[[nodiscard]] Resource normalised(Resource resource, const std::string& workspace);

}  // namespace helve::core
