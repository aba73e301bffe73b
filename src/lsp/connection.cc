#include "lsp/connection.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"

namespace helve::lsp {
namespace {

// Limit for unsent bytes if the server does not read.
constexpr std::size_t kMaxOutgoingBytes = std::size_t{128} << 20;

Error refusal(std::string_view method, const rpc::Failure& failure) {
  return {ErrorCode::kExecutionFailed,
          concat("The language server rejected ", method, ": ",
                 failure.message.empty() ? concat("code ", failure.code) : failure.message),
          {},
          JsonObject{{"code", failure.code}}};
}

}  // namespace

Connection::Connection(UniqueFd from_server, UniqueFd to_server, Handlers handlers)
    : from_server_(std::move(from_server)),
      to_server_(std::move(to_server)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      handlers_(std::move(handlers)),
      thread_([this] { run(); }) {}

Connection::~Connection() {
  end("The connection was closed.");
  thread_.join();
}

void Connection::wake() const { ::eventfd_write(wake_.get(), 1); }

void Connection::end(const std::string& reason, EndedBy by) {
  {
    const std::lock_guard lock(mutex_);
    if (end_reason_.empty()) {
      end_reason_ = reason;
      ended_by_ = by;
    }
    changed_.notify_all();
  }
  wake();
}

EndedBy Connection::ended_by() const {
  const std::lock_guard lock(mutex_);
  return ended_by_;
}

std::string Connection::end_reason() const {
  const std::lock_guard lock(mutex_);
  return end_reason_;
}

std::uint64_t Connection::messages_received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

void Connection::send(const Json& message) {
  std::string bytes = frame(to_text(message));
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (!end_reason_.empty()) return;
    outgoing_bytes_ += bytes.size();
    full = outgoing_bytes_ > kMaxOutgoingBytes;
    outgoing_.push_back(std::move(bytes));
  }
  if (full)
    end("It does not read its input.");
  else
    wake();
}

void Connection::notify(std::string_view method, Json params) {
  send(rpc::to_json(rpc::Notification{.method = std::string(method), .params = std::move(params)}));
}

void Connection::flush(const WaitLimit& limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, limit.stop, limit.deadline,
                      [&] { return outgoing_.empty() || !end_reason_.empty(); });
}

Expected<Json> Connection::request(std::string_view method, Json params, const WaitLimit& limit) {
  auto slot = std::make_shared<Slot>();
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
    waiting_.emplace(id, slot);
  }
  send(rpc::to_json(rpc::Request{.id = id, .method = std::string(method), .params = std::move(params)}));
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, limit.stop, limit.deadline,
                      [&] { return slot->has_value() || !end_reason_.empty(); });
  waiting_.erase(id);
  if (slot->has_value()) {
    if ((*slot)->failure) return fail(refusal(method, *(*slot)->failure));
    return std::move((*slot)->result);
  }
  if (!end_reason_.empty())
    return fail(ErrorCode::kUnavailable, concat("The language server has exited. ", end_reason_));
  lock.unlock();
  notify("$/cancelRequest", JsonObject{{"id", id}});
  if (limit.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The call was cancelled.");
  return fail(ErrorCode::kTimeout, concat("The language server did not answer ", method, " in time."),
              "Try again; the server may still be indexing.");
}

void Connection::answer(const rpc::Request& request) {
  auto result = handlers_.on_request(request);
  rpc::Response response{.id = request.id};
  if (result)
    response.result = *std::move(result);
  else
    response.failure = std::move(result.error());
  send(rpc::to_json(std::move(response)));
}

void Connection::dispatch(const std::string& body) {
  auto json = parse_json(body, rpc::kServerLimits);
  if (!json) return end(concat("It sent invalid JSON. ", json.error().message));
  // Some servers send both members, one of them null. A non-null error wins.
  if (json->is_object() && json->find("method") == nullptr) {
    const Json* error = json->find("error");
    if (error != nullptr && !error->is_null()) json->as_object().erase("result");
  }
  auto message = rpc::read_message(*std::move(json));
  if (!message) return;  // a request that waits for this reply times out
  if (const auto* request = std::get_if<rpc::Request>(&*message)) return answer(*request);
  if (const auto* notification = std::get_if<rpc::Notification>(&*message))
    return handlers_.on_notification(*notification);
  auto& response = std::get<rpc::Response>(*message);
  std::int64_t id = 0;
  if (!response.id.fits_int64(id)) return;
  const std::lock_guard lock(mutex_);
  const auto waiting = waiting_.find(id);
  if (waiting == waiting_.end()) return;  // the request was cancelled, so the reply may be incomplete
  *waiting->second = std::move(response);
  changed_.notify_all();
}

void Connection::receive(std::string_view bytes) {
  frames_.append(bytes);
  for (;;) {
    auto body = frames_.next();
    if (!body) return end(body.error().message);
    if (!*body) return;
    {
      const std::lock_guard lock(mutex_);
      ++received_;
    }
    dispatch(**body);
  }
}

// Returns false if the server closed its input.
bool Connection::write_some() {
  const std::lock_guard lock(mutex_);
  while (!outgoing_.empty()) {
    const std::string& first = outgoing_.front();
    const ssize_t wrote = ::write(to_server_.get(), first.data() + written_, first.size() - written_);
    if (wrote < 0) return errno == EAGAIN || errno == EINTR;
    written_ += static_cast<std::size_t>(wrote);
    if (written_ < first.size()) continue;
    outgoing_bytes_ -= first.size();
    outgoing_.pop_front();
    written_ = 0;
  }
  changed_.notify_all();
  return true;
}

void Connection::run() {
  sigset_t all;  // including SIGPIPE: a write to a dead server must not kill Helve
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::string buffer(std::size_t{64} << 10, '\0');
  while (end_reason().empty()) {
    bool has_output = false;
    {
      const std::lock_guard lock(mutex_);
      has_output = !outgoing_.empty();
    }
    std::array<pollfd, 3> ready{{{from_server_.get(), POLLIN, 0},
                                 {wake_.get(), POLLIN, 0},
                                 {has_output ? to_server_.get() : -1, POLLOUT, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) break;
    if (ready[1].revents != 0) {
      eventfd_t drained = 0;
      ::eventfd_read(wake_.get(), &drained);
    }
    if (ready[2].revents != 0 && !write_some()) {
      end(std::string(kServerExited), EndedBy::kServer);
      break;
    }
    if (ready[0].revents == 0) continue;
    const ssize_t got = ::read(from_server_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) {
      end(std::string(kServerExited), EndedBy::kServer);
      break;
    }
    receive({buffer.data(), static_cast<std::size_t>(got)});
  }
  std::unique_lock lock(mutex_);
  const std::string reason = end_reason_;
  const EndedBy by = ended_by_;
  lock.unlock();
  handlers_.on_end(reason, by);
}

namespace {

constexpr std::size_t kMaxHeaderBytes = 16 << 10;
constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 20;
constexpr std::string_view kHeaderEnd = "\r\n\r\n";

std::optional<std::size_t> content_length(std::string_view header) {
  std::optional<std::size_t> length;
  for (const std::string_view line : split(header, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || to_lower(trim(line.substr(0, colon))) != "content-length")
      continue;
    if (const auto number = to_number<std::size_t>(trim(line.substr(colon + 1)))) length = number;
  }
  return length;
}

}  // namespace

std::string frame(std::string_view body) { return concat("Content-Length: ", body.size(), kHeaderEnd, body); }

Expected<std::optional<std::string>> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(done_);
  const std::size_t end = rest.find(kHeaderEnd);
  if (end == std::string_view::npos) {
    if (rest.size() > kMaxHeaderBytes)
      return fail(ErrorCode::kExecutionFailed,
                  concat("It wrote something that is not a message: ", shortened(rest, 200)));
    buffer_.erase(0, done_);
    done_ = 0;
    return std::nullopt;
  }
  const auto length = content_length(rest.substr(0, end));
  if (!length)
    return fail(ErrorCode::kExecutionFailed,
                concat("It sent a message without Content-Length: ", shortened(rest.substr(0, end), 200)));
  if (*length > kMaxBodyBytes)
    return fail(ErrorCode::kExecutionFailed,
                concat("It sent a message of ", *length, " bytes, which is too large."));
  const std::size_t begin = end + kHeaderEnd.size();
  if (rest.size() - begin < *length) return std::nullopt;
  std::string body(rest.substr(begin, *length));
  done_ += begin + *length;
  if (done_ == buffer_.size()) {
    buffer_.clear();
    done_ = 0;
  }
  return body;
}

}  // namespace helve::lsp
