// The requests that wait for an answer, by their ids.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "gateway/channel.h"

namespace helve::gateway {

// Owned by a channel; may be used from all threads.
class PendingReplies {
 public:
  // One request that waits. Leaves the list when it is destroyed.
  class Place {
   public:
    Place(PendingReplies& owner, std::int64_t id, std::shared_ptr<const Caller> caller);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // CANCELLED or TIMEOUT when the terms end it first.
    [[nodiscard]] Expected<rpc::Response> wait(const Terms& terms);
    // Stops when an answer is there, for whoever waits in another way.
    [[nodiscard]] std::stop_token answered() const { return answered_.get_token(); }
    [[nodiscard]] std::optional<Expected<rpc::Response>> take();

   private:
    friend class PendingReplies;

    PendingReplies& owner_;
    const std::int64_t id_;
    const std::shared_ptr<const Caller> caller_;
    std::optional<Expected<rpc::Response>> reply_;
    std::stop_source answered_;
  };

  // False when nobody waits for it.
  bool deliver(rpc::Response response);
  void fail_all(const Error& error);
  // Who makes the requests that wait, if that is the same one for all; null when it is nobody or unclear.
  [[nodiscard]] std::shared_ptr<const Caller> only_caller() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::int64_t, Place*> places_;
};

// CANCELLED or TIMEOUT, for a request that the terms end.
[[nodiscard]] Error given_up_error(const Terms& terms);

}  // namespace helve::gateway
