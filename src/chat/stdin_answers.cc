#include "chat/stdin_answers.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/threads.h"
#include "base/utf8.h"

namespace helve::chat {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kTick(100);

std::string excerpt(std::string_view text) { return shortened(to_valid_utf8(text), 100); }

void erase_one(std::multiset<std::string>& calls, const std::string& call_id) {
  if (const auto found = calls.find(call_id); found != calls.end()) calls.erase(found);
}

Expected<Approval> parse_approval(const Json& answer, const PermissionRequest& request) {
  const Json* granted = answer.find("granted");
  if (granted == nullptr || !granted->is_bool())
    return fail(ErrorCode::kInvalidArgument,
                granted == nullptr ? concat("The answer to ", request.call_id, " has no \"granted\".")
                                   : concat("\"granted\" in the answer to ", request.call_id,
                                            " is not true or false: ", excerpt(to_text(*granted))),
                concat(R"(Answer {"tool_call_id": ")", request.call_id, R"(", "granted": true}, or false.)"));
  Approval approval{.granted = granted->as_bool(), .reason = text_in(answer, "reason")};
  const Json* scope = answer.find("scope");
  if (scope == nullptr || *scope == Json("once")) return approval;
  if (*scope == Json("session")) {
    approval.scope = ApprovalScope::kSession;
  } else if (*scope == Json("always") && approval.granted && request.rules.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                concat("Call ", request.call_id, " has no rule to keep, so it cannot be allowed always."),
                R"(Use the "scope" "session" or "once". "always" needs "alwaysRules" in the request.)");
  } else if (*scope == Json("always")) {
    approval.scope = ApprovalScope::kAlways;
  } else {
    return fail(
        ErrorCode::kInvalidArgument,
        concat("Unknown \"scope\" in the answer to ", request.call_id, ": ", excerpt(to_text(*scope))),
        R"(Use "once", "session" or "always".)");
  }
  return approval;
}

Expected<Reply> parse_answers(const Json& answer, const std::string& call_id) {
  const Json* values = answer.find("answers");
  if (values == nullptr && answer.find("granted") != nullptr && *answer.find("granted") == Json(false))
    return Reply{.kind = Reply::Kind::kDeclined};
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidArgument,
                values == nullptr ? concat("The answer to ", call_id, " has no \"answers\".")
                                  : concat("\"answers\" in the answer to ", call_id,
                                           " is not a list of strings: ", excerpt(to_text(*values))),
                concat(R"(Answer {"tool_call_id": ")", call_id,
                       R"(", "answers": ["…"]}, or "granted": false for no answer.)"));
  };
  if (values == nullptr || !values->is_array()) return wrong();
  Reply reply{.kind = Reply::Kind::kAnswered};
  for (const Json& value : values->as_array()) {
    if (!value.is_string()) return wrong();
    reply.values.push_back(value.as_string());
  }
  return reply;
}

}  // namespace

Expected<std::jthread> StdinAnswers::listen(EventStream& events) {
  events_ = &events;
  seen_ = events.last_seq();  // a resumed session continues its numbering
  std::jthread listener;
  if (!try_start_thread(listener, [this](const std::stop_token& done) { read_lines(done); }))
    return fail(no_thread_error("so nobody could answer"));
  return listener;
}

void StdinAnswers::read_lines(const std::stop_token& done) {
  std::string pending;
  bool ended = false;
  while (!done.stop_requested() && !ended && pending.size() <= kLongestLine) {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kTick.count())) <= 0) {
      const std::lock_guard lock(mutex_);
      reject_unexpected();
      continue;
    }
    char piece[4096];
    const ssize_t count = ::read(fd_, piece, sizeof piece);
    ended = count <= 0;
    if (count > 0) pending.append(piece, static_cast<std::size_t>(count));
    // All lines that are there, before a call acts on one of them: an approval for the session must not be
    // faster than the refusal that follows it.
    const std::lock_guard lock(mutex_);
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      take(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
  }
  std::unique_lock lock(mutex_);
  if (ended) take(pending);
  if (pending.size() > kLongestLine)
    publish_error("A line on stdin is longer than 1 MiB; the rest of stdin is ignored.",
                  "End each answer with a line break.");
  ended_ = true;
  answered_.notify_all();
  while (!answers_.empty() && !done.stop_requested()) {
    answered_.wait_for(lock, done, kTick, [] { return false; });
    reject_unexpected();
  }
}

void StdinAnswers::take(std::string_view line) {
  if (trim(line).empty()) return;
  auto answer = parse_json(line);
  if (!answer)
    return publish_error(concat("A line on stdin is not JSON: ", excerpt(line)),
                         concat("Write one JSON object per line. ", answer.error().message));
  const std::string call_id = text_in(*answer, "tool_call_id");
  if (call_id.empty())
    return publish_error(concat("A line on stdin has no \"tool_call_id\": ", excerpt(line)),
                         R"(Use the "tool_call_id" of the event that asks.)");
  answers_.emplace(call_id, *std::move(answer));
  reject_unexpected();
  answered_.notify_all();
}

// An answer may arrive before the first question of its call, but not before a later one, which nobody can
// have seen yet.
bool StdinAnswers::may_be_expected(const std::string& call_id) const {
  if (announced_.contains(call_id) || asking_.contains(call_id)) return true;
  if (answered_calls_.contains(call_id)) return false;
  return running_.contains(call_id) || !begun_ || missed_;
}

void StdinAnswers::reject_unexpected() {
  follow_events();
  std::erase_if(answers_, [&](const auto& answer) {
    const std::string& call_id = answer.first;
    if (may_be_expected(call_id)) return false;
    if (answered_calls_.contains(call_id))
      publish_error(concat("Call ", excerpt(call_id), " was already answered."),
                    "Answer each question once.");
    else
      publish_error(concat("No call ", excerpt(call_id), " waits for an answer."),
                    R"(Use the "tool_call_id" of the event that asks.)");
    return true;
  });
}

void StdinAnswers::follow_events() {
  for (auto batch = events_->after(seen_); !batch.events.empty(); batch = events_->after(seen_)) {
    if (batch.missed > 0) {
      missed_ = true;
      answered_calls_.clear();
    }
    for (const auto& event : batch.events) {
      seen_ = event->seq;
      if (const auto* call = std::get_if<ToolEvent>(&event->body)) follow(*call);
      if (const auto* text = std::get_if<TextEvent>(&event->body)) follow(*text);
      if (std::holds_alternative<EndEvent>(event->body)) turn_ended_ = true;
    }
  }
}

void StdinAnswers::follow(const ToolEvent& call) {
  switch (call.kind) {
    case ToolEvent::Kind::kStart: running_.insert(call.call_id); break;
    case ToolEvent::Kind::kPermissionRequired:
    case ToolEvent::Kind::kQuestionRequired:
      begun_ = true;
      announced_.insert(call.call_id);
      break;
    case ToolEvent::Kind::kPermissionGranted:
    case ToolEvent::Kind::kPermissionDenied:
      erase_one(announced_, call.call_id);
      // Also when an approval of another call was the answer: one that arrives later must not be taken for
      // the answer to the call's next question.
      answered_calls_.insert(call.call_id);
      break;
    case ToolEvent::Kind::kRunning: begun_ = true; break;
    case ToolEvent::Kind::kEnd:
    case ToolEvent::Kind::kError:
      running_.erase(call.call_id);
      announced_.erase(call.call_id);
      answered_calls_.erase(call.call_id);
      break;
    default: break;
  }
}

// A new reply of the model begins only after all calls have ended.
void StdinAnswers::follow(const TextEvent& text) {
  if (text.kind != TextEvent::Kind::kInit) return;
  running_.clear();
  announced_.clear();
  answered_calls_.clear();
  begun_ = true;
  missed_ = false;
}

void StdinAnswers::publish_error(std::string message, std::string hint) {
  follow_events();
  if (turn_ended_) return;
  std::set<std::string> open(announced_.begin(), announced_.end());
  open.insert(asking_.begin(), asking_.end());
  JsonArray waiting(open.begin(), open.end());
  events_->publish(ErrorEvent{.message = std::move(message),
                              .code = ErrorCode::kInvalidArgument,
                              .hint = std::move(hint),
                              .details = {{"waiting", std::move(waiting)}}});
}

template <class Read>
auto StdinAnswers::first_valid_answer(const std::string& call_id, const std::stop_token& stop, Until until,
                                      Read read)
    -> std::optional<typename decltype(read(Json()))::value_type> {
  std::unique_lock lock(mutex_);
  follow_events();
  erase_one(announced_, call_id);
  asking_.insert(call_id);
  reject_unexpected();
  std::optional<typename decltype(read(Json()))::value_type> valid;
  while (!valid) {
    const auto is_over = [&] { return ended_ || answers_.contains(call_id); };
    if (until)
      answered_.wait_until(lock, stop, *until, is_over);
    else
      answered_.wait(lock, stop, is_over);
    const auto found = answers_.lower_bound(call_id);  // answers are used in the order they arrived
    if (found == answers_.end() || found->first != call_id) break;
    auto answer = read(answers_.extract(found).mapped());
    if (answer)
      valid = *std::move(answer);
    else
      publish_error(answer.error().message, answer.error().hint);
  }
  erase_one(asking_, call_id);
  if (valid) answered_calls_.insert(call_id);
  reject_unexpected();
  return valid;
}

Approval StdinAnswers::ask(const PermissionRequest& request, const std::stop_token& stop) {
  auto approval = first_valid_answer(request.call_id, stop, {},
                                     [&](const Json& answer) { return parse_approval(answer, request); });
  return approval ? *std::move(approval) : Approval{.granted = false, .asked = false};
}

Expected<Reply> StdinAnswers::ask(const Question& question, const std::stop_token& stop) {
  Until until;
  if (question.patience) until = std::chrono::steady_clock::now() + *question.patience;
  auto reply = first_valid_answer(question.call_id, stop, until, [&](const Json& answer) {
    return parse_answers(answer, question.call_id);
  });
  if (reply) return *std::move(reply);
  if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The question was interrupted.");
  if (until && std::chrono::steady_clock::now() >= *until)
    return fail(ErrorCode::kTimeout, "The question was not answered in time.");
  return fail(ErrorCode::kUnavailable, "stdin has ended, so the question cannot be answered.");
}

}  // namespace helve::chat
