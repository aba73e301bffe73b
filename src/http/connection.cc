#include "http/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/strings.h"
#include "http/chunked_body.h"
#include "http/exchange.h"
#include "http/response_text.h"

namespace helve::http {
namespace {

constexpr std::size_t kPiece = std::size_t{16} << 10;
constexpr std::size_t kLargestPiece = std::size_t{1} << 20;
// Whatever follows the body is moved to the front of the buffer, request by request; it must not be much.
constexpr std::size_t kChunkPiece = std::size_t{64} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// An empty reason: there is nobody to tell it to.
std::unexpected<Refusal> gone() { return std::unexpected(Refusal{.status = 0}); }
std::unexpected<Refusal> refusal(int status, std::string reason) {
  return std::unexpected(Refusal{status, std::move(reason)});
}

bool send_text(int socket, std::string_view text, std::chrono::milliseconds time) {
  iovec piece{const_cast<char*>(text.data()), text.size()};
  return send_all(socket, {&piece, 1}, time);
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
  // Whoever waits for it may want our lock.
  if (running) running->request_stop();
}

void Connection::end_reading() { ::shutdown(socket_.get(), SHUT_RD); }

void Connection::cut() { ::shutdown(socket_.get(), SHUT_RDWR); }

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
  // The object and its socket live on until the server has noticed; the client must not wait for that.
  cut();
}

bool Connection::wait_for_request() {
  if (input_.capacity() > kLargestPiece) input_ = {};
  enter(Phase::kIdle);
  return read_some(socket_.get(), input_, kPiece) == ReadOutcome::kSome;
}

bool Connection::serve_one() {
  if (input_.empty() && !wait_for_request()) return false;
  enter(Phase::kReading);
  auto head = read_head();
  if (head && service_.options.admit)
    if (const auto refused = service_.options.admit(head->request)) {
      refuse(*refused, &*head);
      return false;
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
    // One empty line before a request is an old client's habit.
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
    if (deadline == Clock::time_point{}) deadline = after(limits.header_time);
    switch (read_some(socket_.get(), input_, kPiece, deadline)) {
      case ReadOutcome::kSome: break;
      case ReadOutcome::kEnd: return gone();
      case ReadOutcome::kTimeout: return refusal(408, "The head of the request did not come in time.");
    }
  }
}

std::expected<void, Refusal> Connection::read_body(RequestHead& head) {
  if (!head.chunked && head.length == 0) return {};
  const Limits& limits = service_.options.limits;
  if (head.length > limits.body_bytes)
    return refusal(413, concat("The body is longer than ", limits.body_bytes, " bytes."));
  if (head.expects_continue && input_.empty() && !send_text(socket_.get(), kContinue, limits.write_time))
    return gone();
  const auto deadline = after(limits.body_time);
  std::string& body = head.request.body;
  if (head.chunked) return read_chunks(body, deadline);
  const std::size_t here = std::min<std::uint64_t>(input_.size(), head.length);
  body.assign(input_, 0, here);
  input_.erase(0, here);
  while (body.size() < head.length) {
    // Memory is taken as bytes come, not as they are announced.
    const std::size_t step = std::clamp(body.size(), kPiece, kLargestPiece);
    switch (
        read_some(socket_.get(), body, std::min<std::uint64_t>(head.length - body.size(), step), deadline)) {
      case ReadOutcome::kSome: break;
      case ReadOutcome::kEnd: return gone();
      case ReadOutcome::kTimeout: return refusal(408, "The body of the request did not come in time.");
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
      case ReadOutcome::kEnd: return gone();
      case ReadOutcome::kTimeout: return refusal(408, "The body of the request did not come in time.");
    }
  }
}

bool Connection::answer(RequestHead&& head) {
  ConnectionExchange exchange(socket_.get(), std::move(head), service_.options.limits.write_time,
                              next_stop());
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
      // Pipelined requests that nobody will read would take the answer down with them.
      enter(Phase::kReading);
      close_gently(socket_.get());
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
  if (send_text(socket_.get(), text, service_.options.limits.write_time)) close_gently(socket_.get());
}

}  // namespace helve::http
