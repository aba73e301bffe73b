// The transport to one MCP server, and the requests that wait for its answers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "gateway/channel.h"
#include "helve/context.h"
#include "helve/error.h"
#include "helve/questions.h"
#include "http/message.h"
#include "rpc/message.h"

namespace helve::gateway {

using Clock = std::chrono::steady_clock;

// On whose behalf a request is made: answers the server's questions and receives its progress.
struct Caller {
  std::string call_id = {};
  Asker* asker = nullptr;      // null: there is no user
  Sampler* sampler = nullptr;  // null: there is no model
  std::function<void(const Progress&)> on_progress = {};
  std::stop_token stop = {};
  Json trace = {};                   // members for params._meta; null if there are none
  std::shared_ptr<void> keeps = {};  // keeps the owner of asker and sampler alive
};

// The options of one request.
struct Terms {
  std::stop_token stop = {};
  Clock::time_point deadline = Clock::time_point::max();
  http::Headers headers = {};                 // additional HTTP headers
  bool sends_cancellation = true;             // false before the server accepts notifications
  std::shared_ptr<const Caller> caller = {};  // passed on with the server's requests
  bool stateless = false;                     // the request uses the stateless protocol
};

// Receives the server's requests and notifications. Called from the channel's threads, one call at a time per
// thread; must not block.
class Listener {
 public:
  virtual ~Listener() = default;
  // `caller` is set if the channel knows which of our requests this one belongs to.
  virtual void on_request(rpc::Request request, const std::shared_ptr<const Caller>& caller) = 0;
  virtual void on_notification(rpc::Notification notification) = 0;
  // The channel is closed in both directions. Called once.
  virtual void on_end(const Error& why) = 0;
};

// May be used from all threads. Destroying it closes it.
class Channel {
 public:
  virtual ~Channel() = default;
  // Sends the request, whose id must be a new number, and waits for the answer, which may be a failure that
  // the server reports. CANCELLED or TIMEOUT if the terms end it, UNAVAILABLE if the server did not get the
  // request, OUTCOME_UNKNOWN if it got the request but was lost before it answered.
  [[nodiscard]] virtual Expected<rpc::Response> exchange(rpc::Request request, const Terms& terms) = 0;
  [[nodiscard]] virtual Expected<void> notify(rpc::Notification notification) = 0;
  // Answers a request from on_request.
  [[nodiscard]] virtual Expected<void> respond(rpc::Response response) = 0;
  // Called when both sides have agreed on a protocol version.
  virtual void begin(std::string_view revision) = 0;
  // Ends it in an orderly way. Waiting requests fail. May be called more than once.
  virtual void close() = 0;
  // The last lines that the server wrote to stderr; empty if there is no stderr.
  [[nodiscard]] virtual std::string stderr_tail() const { return {}; }
};

// The requests that wait for an answer, by id. Owned by a channel. May be used from all threads.
class PendingReplies {
 public:
  // One waiting request; its destructor removes it.
  class Entry {
   public:
    Entry(PendingReplies& owner, std::int64_t id, std::shared_ptr<const Caller> caller);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // CANCELLED or TIMEOUT if the terms end it first.
    [[nodiscard]] Expected<rpc::Response> wait(const Terms& terms);
    // Is stopped when the answer arrives, for callers that do not use wait().
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

  // False if no request waits for it.
  bool deliver(rpc::Response response);
  void fail_all(const Error& error);
  // The caller of the waiting requests if they all have the same one; otherwise null.
  [[nodiscard]] std::shared_ptr<const Caller> only_caller() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::int64_t, Entry*> entries_;
};

// CANCELLED or TIMEOUT, for a request that the terms ended.
[[nodiscard]] Error stop_error(const Terms& terms);

}  // namespace helve::gateway
