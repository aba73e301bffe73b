#include "gateway/stdio_channel.h"

#include "base/json_parse.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kShownBytes = 300;  // of a line in the log

}  // namespace

Expected<std::unique_ptr<StdioChannel>> StdioChannel::open(ProcessStart start, std::string name,
                                                           Listener& listener, Logger& logger) {
  std::unique_ptr<StdioChannel> channel(new StdioChannel(std::move(name), listener, logger));
  StdioChannel& self = *channel;
  const std::size_t longest = start.longest_line;
  ServerProcess::Events events;
  events.on_line = [&self](std::string_view line) { self.take_line(line); };
  events.on_long_line = [&self, longest] { self.take_long_line(longest); };
  events.on_error_line = [&self](std::string_view line) {
    self.stderr_tail_.add(line);
    if (self.logger_.writes(LogLevel::kDebug))
      self.logger_.debug("MCP server stderr", {{"server", self.name_}, {"stderr", redact_text(line)}});
  };
  events.on_end = [&self](const Error& why) {
    Error lost = why;
    lost.code = ErrorCode::kOutcomeUnknown;  // it may have done what it was asked
    {
      const std::lock_guard lock(self.mutex_);
      self.lost_ = lost;
    }
    self.listener_.on_end(why);
    self.pending_.fail_all(lost);
  };
  auto process = ServerProcess::start(std::move(start), std::move(events));
  if (!process) return fail(process.error());
  self.process_ = *std::move(process);
  return channel;
}

StdioChannel::~StdioChannel() { close(); }

void StdioChannel::close() {
  if (process_) process_->end();
}

std::optional<Error> StdioChannel::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

Expected<void> StdioChannel::send(const Json& message) { return process_->write(to_text(message) + '\n'); }

Expected<rpc::Response> StdioChannel::exchange(rpc::Request request, const Terms& terms) {
  std::int64_t id = 0;
  if (!request.id.fits_int64(id)) return fail(ErrorCode::kExecutionFailed, "A request id must be a number.");
  PendingReplies::Entry entry(pending_, id, terms.caller);
  if (auto sent = send(to_json(std::move(request))); !sent) return fail(sent.error());
  // The process may have ended before our entry was added.
  if (const auto lost = this->lost()) pending_.fail_all(*lost);
  auto reply = entry.wait(terms);
  const bool given_up =
      !reply && (reply.error().code == ErrorCode::kCancelled || reply.error().code == ErrorCode::kTimeout);
  if (given_up && terms.sends_cancellation)
    static_cast<void>(notify({.method = "notifications/cancelled",
                              .params = JsonObject{{"requestId", id}, {"reason", reply.error().message}}}));
  return reply;
}

Expected<void> StdioChannel::notify(rpc::Notification notification) {
  return send(to_json(std::move(notification)));
}

Expected<void> StdioChannel::respond(rpc::Response response) { return send(to_json(std::move(response))); }

void StdioChannel::take_line(std::string_view line) {
  if (trim(line).empty()) return;
  auto json = parse_json(line, rpc::kServerLimits);
  // A batch, which protocol version 2025-03-26 allows.
  if (json && json->is_array()) {
    for (Json& element : json->as_array()) take_line(to_text(element));
    return;
  }
  auto message = json ? rpc::read_message(*std::move(json)) : std::unexpected(rpc::Malformed{});
  if (!message) return report_noise(line);
  if (auto* response = std::get_if<rpc::Response>(&*message)) {
    pending_.deliver(std::move(*response));  // ignored if its request was given up
  } else if (auto* request = std::get_if<rpc::Request>(&*message)) {
    listener_.on_request(std::move(*request), pending_.only_caller());
  } else {
    listener_.on_notification(std::move(std::get<rpc::Notification>(*message)));
  }
}

void StdioChannel::take_long_line(std::size_t longest) {
  const std::string problem = concat("The server sent a message of more than ", with_thousands(longest),
                                     " bytes, which is too long.");
  logger_.warning(problem, {{"server", name_}});
  // Without reading the message it is unknown which request it answers.
  pending_.fail_all({ErrorCode::kExecutionFailed, problem, "Ask for less at once."});
}

void StdioChannel::report_noise(std::string_view line) {
  // Many servers print a greeting to stdout, so warn only once.
  const LogLevel level = noise_++ == 0 ? LogLevel::kWarning : LogLevel::kDebug;
  if (!logger_.writes(level)) return;
  logger_.log(
      level, "MCP server wrote an invalid message to stdout",
      {{"server", name_},
       {"line",
        shortened(redact_text(utf8_prefix(to_valid_utf8(line.substr(0, 4 * kShownBytes)), kShownBytes)),
                  kShownBytes)}});
}

}  // namespace helve::gateway
