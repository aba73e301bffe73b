#include "http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <utility>

#include "base/strings.h"
#include "http/request_parser.h"
#include "http/response_text.h"

namespace helve::http {
namespace {

constexpr std::size_t kPiece = std::size_t{16} << 10;
constexpr std::size_t kLargestPiece = std::size_t{1} << 20;
// Small, because bytes after the body are moved to the front of the buffer for each request.
constexpr std::size_t kChunkPiece = std::size_t{64} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Status 0: the client has disconnected, so no answer is sent.
std::unexpected<Refusal> client_gone() { return std::unexpected(Refusal{.status = 0}); }
std::unexpected<Refusal> refusal(int status, std::string reason) {
  return std::unexpected(Refusal{status, std::move(reason)});
}

bool send_text(int socket, std::string_view text, std::chrono::milliseconds time) {
  iovec piece{const_cast<char*>(text.data()), text.size()};
  return send_all(socket, {&piece, 1}, time);
}

// Up to this size, copying is cheaper than a second piece.
constexpr std::size_t kSmallBody = std::size_t{16} << 10;

iovec piece_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

bool asks_to_close(const Response& response) {
  const std::string* const connection = response.headers.find("connection");
  return connection != nullptr && to_lower(*connection) == "close";
}

}  // namespace

void Connection::enter(Phase phase) {
  since_ = Clock::now().time_since_epoch().count();
  phase_ = phase;
}

void Connection::stop() {
  std::optional<std::stop_source> running;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    running = running_;
  }
  // Outside the lock, because stop callbacks may need it.
  if (running) running->request_stop();
}

void Connection::end_reading() { ::shutdown(socket_.get(), SHUT_RD); }

void Connection::shut_down() { ::shutdown(socket_.get(), SHUT_RDWR); }

std::stop_source Connection::next_stop() {
  const std::lock_guard lock(mutex_);
  std::stop_source source;
  if (stopped_) source.request_stop();
  running_ = source;
  return source;
}

void Connection::run() {
  try {
    set_read_time(socket_.get(), service_.options.limits.idle_time);
    while (serve_one()) continue;
  } catch (const std::exception& problem) {
    service_.logger.error("A connection ended with an exception", {{"what", std::string(problem.what())}});
  }
  // The socket stays open until the server destroys this object; the client must not wait for that.
  shut_down();
}

bool Connection::wait_for_request() {
  if (input_.capacity() > kLargestPiece) input_ = {};
  enter(Phase::kIdle);
  const auto outcome = stranger_ ? read_some(socket_.get(), input_, kPiece, introduced_by_)
                                 : read_some(socket_.get(), input_, kPiece);
  return outcome == ReadOutcome::kSome;
}

bool Connection::serve_one() {
  if (input_.empty() && !wait_for_request()) return false;
  enter(Phase::kReading);
  auto head = read_head();
  if (head) head->request.connection = number_;
  if (head && service_.options.admit)
    if (const auto refused = service_.options.admit(head->request)) {
      refuse(*refused, &*head);
      return false;
    }
  if (head && stranger_) {
    if (service_.options.is_open && service_.options.is_open(head->request))
      head->keep_alive = false;
    else
      stranger_ = false;
  }
  std::expected<void, Refusal> body = {};
  if (head) body = read_body(*head);
  if (!head || !body) {
    const Refusal& why = head ? body.error() : head.error();
    if (why.status != 0) refuse(error_response(why.status, why.reason), head ? &*head : nullptr);
    return false;
  }
  enter(Phase::kRunning);
  return answer(std::move(*head));
}

std::expected<RequestHead, Refusal> Connection::read_head() {
  const Limits& limits = service_.options.limits;
  Clock::time_point deadline{};
  HeadScanner scanner;
  bool skipped = false;
  for (;;) {
    // Some old clients send an empty line before a request.
    if (!skipped && input_.size() >= 2) {
      skipped = true;
      if (input_.starts_with("\r\n")) input_.erase(0, 2);
    }
    const auto end = scanner.find_end(skipped ? std::string_view(input_) : std::string_view());
    if (!end) return std::unexpected(end.error());
    const std::size_t size = end->value_or(input_.size());
    if (size > limits.header_bytes) {
      const bool is_line = scanner.request_line_size().value_or(size) > limits.header_bytes;
      return refusal(is_line ? 414 : 431,
                     concat(is_line ? "The target" : "The head", " of the request is longer than ",
                            limits.header_bytes, " bytes."));
    }
    if (*end) {
      auto head = parse_request_head(std::string_view(input_).substr(0, size));
      input_.erase(0, size);
      return head;
    }
    if (deadline == Clock::time_point{}) {
      deadline = after(limits.header_time);
      if (stranger_) deadline = std::min(deadline, introduced_by_);
    }
    switch (read_some(socket_.get(), input_, kPiece, deadline)) {
      case ReadOutcome::kSome: break;
      case ReadOutcome::kEnd: return client_gone();
      case ReadOutcome::kTimeout: return refusal(408, "The head of the request did not arrive in time.");
    }
  }
}

std::expected<void, Refusal> Connection::read_body(RequestHead& head) {
  if (!head.chunked && head.length == 0) return {};
  const Limits& limits = service_.options.limits;
  if (head.length > limits.body_bytes)
    return refusal(413, concat("The body is longer than ", limits.body_bytes, " bytes."));
  if (head.expects_continue && input_.empty() && !send_text(socket_.get(), kContinue, limits.write_time))
    return client_gone();
  const auto deadline = after(limits.body_time);
  std::string& body = head.request.body;
  if (head.chunked) return read_chunks(body, deadline);
  const std::size_t here = std::min<std::uint64_t>(input_.size(), head.length);
  body.assign(input_, 0, here);
  input_.erase(0, here);
  while (body.size() < head.length) {
    // Allocate as bytes arrive, not by the announced length.
    const std::size_t step = std::clamp(body.size(), kPiece, kLargestPiece);
    switch (
        read_some(socket_.get(), body, std::min<std::uint64_t>(head.length - body.size(), step), deadline)) {
      case ReadOutcome::kSome: break;
      case ReadOutcome::kEnd: return client_gone();
      case ReadOutcome::kTimeout: return refusal(408, "The body of the request did not arrive in time.");
    }
  }
  return {};
}

std::expected<void, Refusal> Connection::read_chunks(std::string& body, Clock::time_point deadline) {
  ChunkedBody chunks(service_.options.limits.body_bytes);
  for (;;) {
    const auto used = chunks.take(input_, body);
    if (!used) return std::unexpected(used.error());
    input_.erase(0, *used);
    if (chunks.done()) return {};
    switch (read_some(socket_.get(), input_, kChunkPiece, deadline)) {
      case ReadOutcome::kSome: break;
      case ReadOutcome::kEnd: return client_gone();
      case ReadOutcome::kTimeout: return refusal(408, "The body of the request did not arrive in time.");
    }
  }
}

bool Connection::answer(RequestHead&& head) {
  ConnectionExchange exchange(socket_.get(), std::move(head), service_.options.limits, next_stop());
  try {
    service_.handler(exchange);
  } catch (const std::exception& problem) {
    service_.logger.error("A request's handler ended with an exception",
                          {{"what", std::string(problem.what())}});
    exchange.abandon();
  } catch (...) {
    service_.logger.error("A request's handler ended with an exception");
    exchange.abandon();
  }
  {
    const std::lock_guard lock(mutex_);
    running_.reset();
  }
  switch (exchange.finish()) {
    case ConnectionExchange::Next::kKeep: return true;
    case ConnectionExchange::Next::kClose:
      // Closing with unread pipelined requests would reset the connection and lose the answer.
      enter(Phase::kReading);
      close_gracefully(socket_.get());
      return false;
    case ConnectionExchange::Next::kCut: break;
  }
  return false;
}

void Connection::refuse(const Response& response, const RequestHead* head) {
  if (service_.options.on_refusal) {
    Refused refused{.peer = peer_name(socket_.get())};
    if (head != nullptr) {
      refused.method = head->request.method;
      refused.path = head->request.path;
    }
    service_.options.on_refusal(response, refused);
  }
  std::string text = head_text(response, {.length = response.body.size(), .keep_alive = false});
  text += response.body;
  const Limits& limits = service_.options.limits;
  if (send_text(socket_.get(), text, stranger_ ? limits.stranger_time : limits.write_time))
    close_gracefully(socket_.get());
}

ConnectionExchange::ConnectionExchange(int socket, RequestHead&& head, const Limits& limits,
                                       std::stop_source stop)
    : socket_(socket),
      head_(std::move(head)),
      limits_(limits),
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
        error_response(500, "The server produced no answer to this request. This is a bug in the server."));
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
                                          .idle = std::chrono::floor<std::chrono::seconds>(limits_.idle_time),
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
  std::string text = head_text(response, {.framing = has_body ? framing_ : Framing::kNone,
                                          .keep_alive = keep_,
                                          .idle = std::chrono::floor<std::chrono::seconds>(limits_.idle_time),
                                          .http_1_0 = head_.http_1_0});
  state_ = State::kBegun;
  if (!has_body || is_head_) framing_ = Framing::kNone;
  iovec piece = piece_of(text);
  if (!send({&piece, 1}) || framing_ == Framing::kNone) return;
  static_cast<void>(send_piece(response.body));
}

bool ConnectionExchange::send_piece(std::string_view piece) {
  // An empty chunk would end the answer.
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
  if (send_all(socket_, pieces, limits_.write_time)) return true;
  state_ = State::kBroken;
  // The server thread notices this and stops the exchange without holding the caller's locks.
  ::shutdown(socket_, SHUT_RDWR);
  return false;
}

}  // namespace helve::http
