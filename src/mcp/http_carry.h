// Brings what is said about a request to its client: as one JSON answer, or as a stream when there is more.
#pragma once

#include "http/server.h"
#include "mcp/event_log.h"
#include "mcp/responder.h"

namespace helve::mcp {

// Writes to a log, from which the thread of the HTTP request takes it.
class LogResponder final : public Responder {
 public:
  explicit LogResponder(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}
  void send(const Json& message) override { log_->add(to_text(message)); }
  void answer(rpc::Response response) override;
  void close_stream() override { log_->interrupt(); }

  // Of the HTTP answer, if that is all there is.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  const std::shared_ptr<EventLog> log_;
  std::atomic<int> status_ = 200;
  std::atomic<bool> has_failed_ = false;
};

[[nodiscard]] int http_status_of(const rpc::Failure& failure);
[[nodiscard]] http::Response json_response(int status, std::string body);

struct Carriage {
  std::uint64_t after = 0;                  // the last event that the client has
  bool numbered = false;                    // events have ids, so that the client can come back
  bool primed = false;                      // the stream begins with an id to come back with
  bool stream_only = false;                 // never as one JSON answer
  const LogResponder* responder = nullptr;  // for the status of a single answer
  http::Headers headers = {};
};

// True when all of it went out, as far as can be told. False when it was interrupted or the client has gone.
bool carry(http::Exchange& exchange, EventLog& log, const Carriage& carriage);

}  // namespace helve::mcp
