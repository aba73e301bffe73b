#include "cli/line_people.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kTick(100);

std::string excerpt(std::string_view text) { return shortened(to_valid_utf8(text), 100); }

void forget_one(std::multiset<std::string>& calls, const std::string& call_id) {
  if (const auto found = calls.find(call_id); found != calls.end()) calls.erase(found);
}

Expected<Approval> approval_in(const Json& answer, const PermissionRequest& request) {
  const Json* granted = answer.find("granted");
  if (granted == nullptr || !granted->is_bool())
    return fail(ErrorCode::kInvalidArgument,
                granted == nullptr ? concat("The answer to ", request.call_id, " has no \"granted\".")
                                   : concat("\"granted\" in the answer to ", request.call_id,
                                            " is neither true nor false: ", excerpt(to_text(*granted))),
                concat(R"(Answer {"tool_call_id": ")", request.call_id, R"(", "granted": true}, or false.)"));
  Approval approval{.granted = granted->as_bool(), .reason = text_in(answer, "reason")};
  const Json* scope = answer.find("scope");
  if (scope == nullptr || *scope == Json("once")) return approval;
  if (*scope == Json("session")) {
    approval.scope = ApprovalScope::kSession;
  } else if (*scope == Json("always") && approval.granted && request.rules.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        concat("No rule fits the call ", request.call_id, ", so it cannot be allowed always."),
        R"(Answer with the "scope" "session" or "once"; "alwaysRules" of the question is empty then.)");
  } else if (*scope == Json("always")) {
    approval.scope = ApprovalScope::kAlways;
  } else {
    return fail(ErrorCode::kInvalidArgument,
                concat("There is no such \"scope\" as in the answer to ", request.call_id, ": ",
                       excerpt(to_text(*scope))),
                R"("scope" is "once", "session" or "always".)");
  }
  return approval;
}

Expected<Reply> answers_in(const Json& answer, const std::string& call_id) {
  const Json* values = answer.find("answers");
  if (values == nullptr && answer.find("granted") != nullptr && *answer.find("granted") == Json(false))
    return Reply{.kind = Reply::Kind::kDeclined};
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidArgument,
                values == nullptr ? concat("The answer to ", call_id, " has no \"answers\".")
                                  : concat("\"answers\" in the answer to ", call_id,
                                           " is no list of texts: ", excerpt(to_text(*values))),
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

std::jthread LinePeople::listen(EventStream& events) {
  events_ = &events;
  seen_ = events.last_seq();  // those of a resumed session are counted on
  return std::jthread([this](const std::stop_token& done) { read_lines(done); });
}

void LinePeople::read_lines(const std::stop_token& done) {
  std::string pending;
  bool whole = false;
  while (!done.stop_requested() && !whole && pending.size() <= kLongestLine) {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kTick.count())) <= 0) {
      const std::lock_guard lock(mutex_);
      refuse_strangers();
      continue;
    }
    char piece[4096];
    const ssize_t count = ::read(fd_, piece, sizeof piece);
    whole = count <= 0;
    if (count > 0) pending.append(piece, static_cast<std::size_t>(count));
    for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      take(std::string_view(pending).substr(0, end));
      pending.erase(0, end + 1);
    }
  }
  if (whole) take(pending);
  std::unique_lock lock(mutex_);
  if (pending.size() > kLongestLine)
    complain("A line on stdin is longer than 1 MiB, so nothing more is read from there.",
             "End each answer with a line break.");
  ended_ = true;
  answered_.notify_all();
  while (!answers_.empty() && !done.stop_requested()) {
    answered_.wait_for(lock, done, kTick, [] { return false; });
    refuse_strangers();
  }
}

void LinePeople::take(std::string_view line) {
  if (trim(line).empty()) return;
  auto answer = parse_json(line);
  const std::lock_guard lock(mutex_);
  if (!answer)
    return complain(concat("A line on stdin is no JSON: ", excerpt(line)),
                    concat("Write one JSON object per line. ", answer.error().message));
  const std::string call_id = text_in(*answer, "tool_call_id");
  if (call_id.empty())
    return complain(concat("A line on stdin does not say what it answers: ", excerpt(line)),
                    R"(Give the "tool_call_id" of the event that asks.)");
  answers_.emplace(call_id, *std::move(answer));
  refuse_strangers();
  answered_.notify_all();
}

// An answer may come before the first question of its call, but not before those that follow: nobody could
// know them.
bool LinePeople::may_be_wanted(const std::string& call_id) const {
  if (told_.contains(call_id) || asking_.contains(call_id)) return true;
  if (asked_.contains(call_id)) return false;
  return under_way_.contains(call_id) || !begun_ || missed_;
}

void LinePeople::refuse_strangers() {
  look_at_events();
  std::erase_if(answers_, [&](const auto& answer) {
    const std::string& call_id = answer.first;
    if (may_be_wanted(call_id)) return false;
    if (asked_.contains(call_id))
      complain(concat("The call ", excerpt(call_id), " has its answer, and asks nothing else."),
               "Answer each question once.");
    else
      complain(concat("No call ", excerpt(call_id), " waits for an answer."),
               R"(Give the "tool_call_id" of the event that asks.)");
    return true;
  });
}

void LinePeople::look_at_events() {
  for (auto batch = events_->after(seen_); !batch.events.empty(); batch = events_->after(seen_)) {
    if (batch.missed > 0) {
      missed_ = true;
      asked_.clear();
    }
    for (const auto& event : batch.events) {
      seen_ = event->seq;
      if (const auto* call = std::get_if<ToolEvent>(&event->body)) look_at(*call);
      if (const auto* text = std::get_if<TextEvent>(&event->body)) look_at(*text);
      if (std::holds_alternative<EndEvent>(event->body)) over_ = true;
    }
  }
}

void LinePeople::look_at(const ToolEvent& call) {
  switch (call.kind) {
    case ToolEvent::Kind::kStart: under_way_.insert(call.call_id); break;
    case ToolEvent::Kind::kPermissionRequired:
    case ToolEvent::Kind::kQuestionRequired:
      begun_ = true;
      told_.insert(call.call_id);
      break;
    case ToolEvent::Kind::kPermissionGranted:
    case ToolEvent::Kind::kPermissionDenied: forget_one(told_, call.call_id); break;
    case ToolEvent::Kind::kRunning: begun_ = true; break;
    case ToolEvent::Kind::kEnd:
    case ToolEvent::Kind::kError:
      under_way_.erase(call.call_id);
      told_.erase(call.call_id);
      asked_.erase(call.call_id);
      break;
    default: break;
  }
}

// The model is asked when all its calls have ended.
void LinePeople::look_at(const TextEvent& text) {
  if (text.kind != TextEvent::Kind::kInit) return;
  under_way_.clear();
  told_.clear();
  asked_.clear();
  begun_ = true;
  missed_ = false;
}

void LinePeople::complain(std::string message, std::string hint) {
  look_at_events();
  if (over_) return;
  std::set<std::string> open(told_.begin(), told_.end());
  open.insert(asking_.begin(), asking_.end());
  JsonArray waiting(open.begin(), open.end());
  events_->publish(ErrorEvent{std::move(message), JsonObject{{"code", to_string(ErrorCode::kInvalidArgument)},
                                                             {"hint", std::move(hint)},
                                                             {"waiting", std::move(waiting)}}});
}

template <class Read>
auto LinePeople::first_good_answer(const std::string& call_id, const std::stop_token& stop, Read read)
    -> std::optional<typename decltype(read(Json()))::value_type> {
  std::unique_lock lock(mutex_);
  look_at_events();
  forget_one(told_, call_id);
  asking_.insert(call_id);
  refuse_strangers();
  std::optional<typename decltype(read(Json()))::value_type> good;
  while (!good) {
    answered_.wait(lock, stop, [&] { return ended_ || answers_.contains(call_id); });
    const auto found = answers_.lower_bound(call_id);  // the first of them
    if (found == answers_.end() || found->first != call_id) break;
    auto answer = read(answers_.extract(found).mapped());
    if (answer)
      good = *std::move(answer);
    else
      complain(answer.error().message, answer.error().hint);
  }
  forget_one(asking_, call_id);
  asked_.insert(call_id);
  refuse_strangers();
  return good;
}

Approval LinePeople::ask(const PermissionRequest& request, const std::stop_token& stop) {
  auto approval = first_good_answer(request.call_id, stop,
                                    [&](const Json& answer) { return approval_in(answer, request); });
  return approval ? *std::move(approval) : Approval{.granted = false, .asked = stop.stop_requested()};
}

Expected<Reply> LinePeople::ask(const Question& question, const std::stop_token& stop) {
  auto reply = first_good_answer(question.call_id, stop,
                                 [&](const Json& answer) { return answers_in(answer, question.call_id); });
  if (reply) return *std::move(reply);
  if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The question was interrupted.");
  return fail(ErrorCode::kUnavailable, "Nobody answers questions here any more.");
}

}  // namespace helve::cli
