#include "http/exchange.h"

#include <sys/socket.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/strings.h"

namespace helve::http {
namespace {

// Up to here copying is cheaper than a second piece.
constexpr std::size_t kSmallBody = std::size_t{16} << 10;

iovec piece_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

bool asks_to_close(const Response& response) {
  const std::string* const connection = response.headers.find("connection");
  return connection != nullptr && to_lower(*connection) == "close";
}

}  // namespace

ConnectionExchange::ConnectionExchange(int socket, RequestHead&& head, std::chrono::milliseconds write_time,
                                       std::stop_source stop)
    : socket_(socket),
      head_(std::move(head)),
      write_time_(write_time),
      stop_(std::move(stop)),
      is_head_(head_.request.method == "HEAD"),
      may_keep_(head_.keep_alive) {}

void ConnectionExchange::respond(Response response) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kNothing) send_response(response);
}

void ConnectionExchange::begin(Response head) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kNothing) send_begin(head);
}

bool ConnectionExchange::write(std::string_view piece) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kBegun || framing_ == Framing::kNone) return false;
  return send_piece(piece);
}

void ConnectionExchange::abandon() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kBegun) state_ = State::kBroken;
}

ConnectionExchange::Next ConnectionExchange::finish() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kNothing)
    send_response(
        error_response(500, "The server has no answer to this request; that is a fault of its own."));
  if (state_ == State::kBegun) {
    state_ = State::kComplete;
    iovec end = piece_of("0\r\n\r\n");
    if (framing_ == Framing::kChunked && !send({&end, 1})) return Next::kCut;
  }
  if (state_ == State::kBroken) return Next::kCut;
  return keep_ ? Next::kKeep : Next::kClose;
}

void ConnectionExchange::send_response(const Response& response) {
  const bool has_body = status_has_body(response.status);
  keep_ = may_keep_ && !asks_to_close(response);
  std::string text = head_text(response, {.framing = has_body ? Framing::kLength : Framing::kNone,
                                          .length = response.body.size(),
                                          .keep_alive = keep_,
                                          .http_1_0 = head_.http_1_0});
  state_ = State::kComplete;
  std::array<iovec, 2> pieces{};
  std::size_t count = 1;
  if (has_body && !is_head_ && response.body.size() <= kSmallBody) {
    text += response.body;
  } else if (has_body && !is_head_) {
    pieces[1] = piece_of(response.body);
    count = 2;
  }
  pieces[0] = piece_of(text);
  static_cast<void>(send(std::span(pieces).first(count)));
}

void ConnectionExchange::send_begin(const Response& response) {
  const bool has_body = status_has_body(response.status);
  framing_ = head_.http_1_0 ? Framing::kClose : Framing::kChunked;
  keep_ = may_keep_ && !asks_to_close(response) && !head_.http_1_0;
  std::string text = head_text(
      response,
      {.framing = has_body ? framing_ : Framing::kNone, .keep_alive = keep_, .http_1_0 = head_.http_1_0});
  state_ = State::kBegun;
  if (!has_body || is_head_) framing_ = Framing::kNone;
  iovec piece = piece_of(text);
  if (!send({&piece, 1}) || framing_ == Framing::kNone) return;
  static_cast<void>(send_piece(response.body));
}

bool ConnectionExchange::send_piece(std::string_view piece) {
  // A chunk of no bytes would end the answer.
  if (piece.empty()) return true;
  if (framing_ == Framing::kClose) {
    iovec whole = piece_of(piece);
    return send({&whole, 1});
  }
  char size[20];
  char* const end = std::to_chars(size, size + 16, piece.size(), 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  std::array<iovec, 3> pieces{piece_of({size, static_cast<std::size_t>(end + 2 - size)}), piece_of(piece),
                              piece_of("\r\n")};
  return send(pieces);
}

bool ConnectionExchange::send(std::span<iovec> pieces) {
  if (send_all(socket_, pieces, write_time_)) return true;
  state_ = State::kBroken;
  // The server's watcher sees this and stops the exchange, on a thread that holds no lock of the caller's.
  ::shutdown(socket_, SHUT_RDWR);
  return false;
}

}  // namespace helve::http
