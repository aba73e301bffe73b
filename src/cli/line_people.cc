#include "cli/line_people.h"

#include <poll.h>
#include <unistd.h>

#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string text_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->is_string() ? value->as_string() : std::string();
}

}  // namespace

LinePeople::LinePeople(int fd)
    : fd_(fd), reader_([this](const std::stop_token& done) { read_lines(done); }) {}

LinePeople::~LinePeople() = default;

void LinePeople::read_lines(const std::stop_token& done) {
  std::string pending;
  while (!done.stop_requested()) {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    char piece[4096];
    const ssize_t count = ::read(fd_, piece, sizeof piece);
    if (count <= 0) break;
    pending.append(piece, static_cast<std::size_t>(count));
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      take(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
    if (pending.size() > kLongestLine) break;
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  answered_.notify_all();
}

void LinePeople::take(std::string_view line) {
  auto answer = parse_json(line);
  if (!answer) return;
  const std::string call_id = text_in(*answer, "tool_call_id");
  if (call_id.empty()) return;  // is no answer to anything
  const std::lock_guard lock(mutex_);
  answers_[call_id] = *std::move(answer);
  answered_.notify_all();
}

Json LinePeople::wait_for(const std::string& call_id, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  answered_.wait(lock, stop, [&] { return ended_ || answers_.contains(call_id); });
  const auto found = answers_.find(call_id);
  if (found == answers_.end()) return {};
  Json answer = std::move(found->second);
  answers_.erase(found);
  return answer;
}

Approval LinePeople::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const Json answer = wait_for(request.call_id, stop);
  if (answer.is_null()) return {.granted = false, .asked = stop.stop_requested()};
  const Json* granted = answer.find("granted");
  Approval approval{.granted = granted != nullptr && *granted == Json(true),
                    .reason = text_in(answer, "reason")};
  const std::string scope = text_in(answer, "scope");
  if (scope == "session") approval.scope = ApprovalScope::kSession;
  if (scope == "always" && !request.rules.empty()) approval.scope = ApprovalScope::kAlways;
  return approval;
}

Expected<Reply> LinePeople::ask(const Question& question, const std::stop_token& stop) {
  const Json answer = wait_for(question.call_id, stop);
  if (answer.is_null() && stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The question was interrupted.");
  if (answer.is_null()) return fail(ErrorCode::kUnavailable, "Nobody answers questions here any more.");
  const Json* values = answer.find("answers");
  if (values == nullptr || !values->is_array()) return Reply{.kind = Reply::Kind::kDeclined};
  Reply reply{.kind = Reply::Kind::kAnswered};
  for (const Json& value : values->as_array())
    if (value.is_string()) reply.values.push_back(value.as_string());
  return reply;
}

}  // namespace helve::cli
