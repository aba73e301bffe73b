// The answer to one request, as it goes out over a connection.
#pragma once

#include <chrono>
#include <mutex>
#include <span>
#include <stop_token>
#include <string_view>

#include "http/request_head.h"
#include "http/response_text.h"
#include "http/server.h"
#include "http/socket_io.h"

namespace helve::http {

// Lives on the stack of the connection's thread for as long as the handler runs.
class ConnectionExchange final : public Exchange {
 public:
  enum class Next { kKeep, kClose, kCut };

  ConnectionExchange(int socket, RequestHead&& head, std::chrono::milliseconds write_time,
                     std::stop_source stop);

  Request& request() override { return head_.request; }
  [[nodiscard]] std::stop_token stop() const override { return stop_.get_token(); }
  void respond(Response response) override;
  void begin(Response head) override;
  bool write(std::string_view piece) override;

  // After the handler has thrown: an answer that was begun is not made to look complete.
  void abandon();
  // Completes the answer; what is to become of the connection.
  [[nodiscard]] Next finish();

 private:
  enum class State { kNothing, kBegun, kComplete, kBroken };

  void send_response(const Response& response);
  void send_begin(const Response& response);
  [[nodiscard]] bool send_piece(std::string_view piece);
  [[nodiscard]] bool send(std::span<iovec> pieces);

  const int socket_;
  RequestHead head_;
  const std::chrono::milliseconds write_time_;
  const std::stop_source stop_;
  const bool is_head_;  // the method
  const bool may_keep_;

  std::mutex mutex_;  // guards these; held while sending, so that pieces do not mix
  State state_ = State::kNothing;
  Framing framing_ = Framing::kLength;
  bool keep_ = false;
};

}  // namespace helve::http
