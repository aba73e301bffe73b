// The way to one MCP server and back, whether it is a process's pipes or HTTP.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "helve/context.h"
#include "helve/error.h"
#include "helve/questions.h"
#include "http/message.h"
#include "rpc/message.h"

namespace helve::gateway {

using Clock = std::chrono::steady_clock;

// On whose behalf a request is made: who can be asked meanwhile, and who wants to hear of progress.
struct Caller {
  std::string call_id = {};
  Asker* asker = nullptr;      // null: nobody can be asked
  Sampler* sampler = nullptr;  // null: there is no model
  std::function<void(const Progress&)> on_progress = {};
  std::stop_token stop = {};
  std::shared_ptr<void> keeps = {};  // what asker and sampler belong to
};

// How a request is to be made.
struct Terms {
  std::stop_token stop = {};
  Clock::time_point deadline = Clock::time_point::max();
  http::Headers headers = {};                 // besides the usual ones, where there are headers
  bool tells_when_given_up = true;            // false before the server is ready for notifications
  std::shared_ptr<const Caller> caller = {};  // comes back with what the server asks meanwhile
  bool modern = false;                        // the request is of the modern era
};

// Where everything goes that the server says of its own accord. Called from the channel's threads, one call
// at a time per thread; must not wait for anything.
class Listener {
 public:
  virtual ~Listener() = default;
  // `caller` is there when the channel knows in the course of which request the server asks.
  virtual void on_request(rpc::Request request, const std::shared_ptr<const Caller>& caller) = 0;
  virtual void on_notification(rpc::Notification notification) = 0;
  // Nothing more can be sent or will come; once.
  virtual void on_end(const Error& why) = 0;
};

// May be used from all threads. Destroying it closes it.
class Channel {
 public:
  virtual ~Channel() = default;
  // Sends the request, whose id is a number never used before, and waits for its answer. The answer may be a
  // failure that the server reports. CANCELLED and TIMEOUT when the terms say so, UNAVAILABLE when the server
  // did not get the request, OUTCOME_UNKNOWN when it got it and was lost before it answered.
  [[nodiscard]] virtual Expected<rpc::Response> exchange(rpc::Request request, const Terms& terms) = 0;
  [[nodiscard]] virtual Expected<void> notify(rpc::Notification notification) = 0;
  // Answers what came through on_request.
  [[nodiscard]] virtual Expected<void> respond(rpc::Response response) = 0;
  // What both sides have agreed on; the channel may have something to do from then on.
  virtual void begin(std::string_view revision) = 0;
  // Ends it in an orderly way; everything that waits fails. May be called more than once.
  virtual void close() = 0;
  // The last that the server wrote for people to read; empty when there is no such thing.
  [[nodiscard]] virtual std::string last_words() const { return {}; }
};

}  // namespace helve::gateway
