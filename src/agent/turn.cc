#include "agent/turn.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "agent/entries.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "core/tool_run.h"
#include "model/server_error.h"

namespace helve::agent {
namespace {

Error cut_reply() {
  return {
      ErrorCode::kInvalidArgument,
      "Your reply was cut off at the length limit, so none of its calls were run: they may be incomplete.",
      "Repeat the calls with less text around them. Split large calls into smaller steps."};
}

Error window_full() {
  return {ErrorCode::kUnavailable, "The conversation no longer fits the model's context window.",
          "Start a new session, or use a model with a larger window."};
}

// A call's arguments as JSON. Invalid JSON is passed on as a string, which the dispatcher rejects like any
// other invalid arguments.
Json arguments_of(const model::ToolCall& call) {
  if (trim(call.arguments).empty()) return JsonObject();
  auto parsed = parse_json(call.arguments);
  return parsed ? *std::move(parsed) : Json(call.arguments);
}

bool is_usable_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 &&
         std::ranges::all_of(id, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

// How many replies in a row, up to the last one, stopped for this reason.
std::size_t trailing_replies(model::StopReason stop, const Transcript& transcript) {
  std::size_t count = 0;
  const auto rounds = transcript.rounds_of_turn();
  while (count < rounds.size() && rounds[rounds.size() - 1 - count]->reply.stop == stop) ++count;
  return count;
}

}  // namespace

Turn::Turn(Parts parts)
    : parts_(std::move(parts)),
      turn_limits_(parts_.settings, parts_.prices),
      stop_(parts_.stop, turn_limits_.deadline()),
      context_(parts_.settings, parts_.model) {}

Ending Turn::run() {
  if (!stop_.keeps_deadline()) return failed(no_thread_error("so the turn did not start"));
  for (;;) {
    if (auto over = run_calls()) return *std::move(over);
    if (auto over = ask_model()) return *std::move(over);
  }
}

Turn::End Turn::run_calls() {
  const Round* round = parts_.journal.transcript().open_round();
  if (round == nullptr) return {};
  if (auto over = report_unknown_outcomes(*round)) return over;
  if (round->reply.stop == model::StopReason::kLength) return refuse_calls(*round, cut_reply());
  if (auto over = turn_limits_.before_calls(parts_.journal.transcript())) {
    if (auto failed = refuse_calls(*round, *over->error)) return failed;
    return over;
  }
  // call_many() decides all approvals before anything runs, keeps the order of calls on the same resource,
  // and offloads long results.
  [[maybe_unused]] const auto answers = parts_.runtime.call_many(parts_.session, batch_of(*round));
  if (auto failure = parts_.journal.failure()) return failed(*std::move(failure));
  if (is_stopped()) return stopped_ending();
  return check_progress();
}

// A call that was running when Helve was killed is not repeated.
Turn::End Turn::report_unknown_outcomes(const Round& round) {
  std::vector<Entry> results;
  for (const CallState& call : round.calls) {
    if (call.result || !call.started) continue;
    const Error unknown = outcome_unknown(call.planned.requested);
    publish_failure(call, unknown);
    results.emplace_back(result_of(call.planned.id, unknown));
  }
  if (results.empty()) return {};
  if (auto added = parts_.journal.add(results); !added) return failed(added.error());
  return {};
}

std::string Turn::server_of(const CallState& call) const {
  const auto tool = parts_.runtime.tools().find(call.planned.requested.name);
  return tool ? (*tool)->definition.server : std::string();
}

void Turn::publish_failure(const CallState& call, const Error& error) {
  const std::string& tool = call.planned.requested.name;
  publish(ToolEvent{.kind = ToolEvent::Kind::kError,
                    .call_id = call.planned.id,
                    .tool = tool,
                    .server = server_of(call),
                    .response = error.message,
                    .answer = std::make_shared<const Answer>(
                        Answer{.result = fail(error), .call_id = call.planned.id, .tool = tool})});
}

Turn::End Turn::refuse_calls(const Round& round, const Error& why) {
  std::vector<Entry> results;
  for (const CallState& call : round.calls) {
    if (call.result) continue;
    publish(ToolEvent{.kind = ToolEvent::Kind::kStart,
                      .call_id = call.planned.id,
                      .tool = call.planned.requested.name,
                      .params = call.planned.requested.arguments,
                      .server = server_of(call)});
    publish_failure(call, why);
    results.emplace_back(result_of(call.planned.id, why));
  }
  if (auto added = parts_.journal.add(results); !added) return failed(added.error());
  return {};
}

std::vector<Call> Turn::batch_of(const Round& round) {
  std::vector<Call> batch;
  for (const CallState& call : round.calls) {
    if (call.result) continue;
    const std::string id = call.planned.id;
    auto started = std::make_shared<std::atomic<bool>>(false);
    Call made{.tool = call.planned.requested.name,
              .arguments = arguments_of(call.planned.requested),
              .id = id,
              .stop = stop_.token()};
    // A question has no effects, so it is simply asked again after an interruption.
    made.on_start = [this, id, started](Effect effect) -> Expected<void> {
      if (effect == Effect::kAsk) return {};
      *started = true;
      return parts_.journal.add(StartEntry{id, effect != Effect::kRead});
    };
    // A call cancelled before it ran stays open: it is asked about again when the session continues.
    made.on_answer = [this, id, started](const Answer& answer) {
      const bool waits =
          !*started && is_stopped() && !answer.ok() && answer.result.error().code == ErrorCode::kCancelled;
      // The journal remembers a failed write, which ends the turn.
      if (!waits) [[maybe_unused]]
        const auto added = parts_.journal.add(result_of(id, answer));
    };
    batch.push_back(std::move(made));
  }
  return batch;
}

Turn::End Turn::check_progress() {
  const std::size_t same = TurnLimits::repeated_rounds(parts_.journal.transcript());
  if (same >= TurnLimits::kStopAt)
    return Ending{"no-progress",
                  Error{ErrorCode::kUnavailable,
                        concat("The model made the same calls ", same, " times and got the same results."),
                        "Tell it what to do differently."}};
  if (same < TurnLimits::kWarnAt) return {};
  auto added = parts_.journal.add(
      UserEntry{concat("Note from Helve: you have made the same calls with the same results ", same,
                       " times in a row. Repeating them will not change anything. Try something else, or say "
                       "what blocks you."),
                true});
  if (!added) return failed(added.error());
  return {};
}

Turn::End Turn::ask_model() {
  if (is_stopped()) return stopped_ending();
  const Transcript& transcript = parts_.journal.transcript();
  if (auto over = turn_limits_.before_reply(transcript)) return over;
  if (!parts_.note.empty())
    if (auto added = parts_.journal.add(UserEntry{parts_.note, true}); !added) return failed(added.error());
  parts_.note.clear();
  model::Conversation said = conversation();
  if (auto room = context_.trim_to_fit(parts_.journal, said); !room) return failed(room.error());
  auto reply = request_reply(said);
  if (is_stopped() && !reply) return stopped_ending();
  if (!reply) return failed(reply.error());
  if (auto added = parts_.journal.add(entry_of(*std::move(reply), rough_tokens(said))); !added)
    return failed(added.error());

  const Round& round = *transcript.last_round();
  if (!round.calls.empty()) return {};
  switch (round.reply.stop) {
    case model::StopReason::kEnd:
    case model::StopReason::kToolCalls: return Ending{"done"};
    case model::StopReason::kPaused: return continue_after_pause();
    case model::StopReason::kLength: return continue_after_cut(round);
    case model::StopReason::kRefused:
      return Ending{"refused", Error{ErrorCode::kUnavailable, "The model refused to continue.",
                                     "Rephrase the request, or use another model."}};
    case model::StopReason::kContextFull: return failed(window_full());
  }
  return Ending{"done"};
}

// A paused model expects to be called again with its own reply. Limited, because it could pause forever.
Turn::End Turn::continue_after_pause() {
  constexpr std::size_t kMost = 16;
  if (trailing_replies(model::StopReason::kPaused, parts_.journal.transcript()) <= kMost) return {};
  return failed({ErrorCode::kUnavailable, "The model kept pausing without replying.",
                 "Continue the session, or use another model."});
}

Turn::End Turn::continue_after_cut(const Round& round) {
  constexpr std::size_t kMost = 3;
  const std::size_t cut = trailing_replies(model::StopReason::kLength, parts_.journal.transcript());
  if (round.reply.text.empty() || cut > kMost)
    return Ending{"length",
                  Error{ErrorCode::kUnavailable,
                        round.reply.text.empty()
                            ? "The model hit the length limit before it produced any text."
                            : concat("The model's reply was cut off at the length limit ", cut, " times."),
                        "Raise the output limit, or ask for less at once."}};
  auto added = parts_.journal.add(UserEntry{
      "Note from Helve: your reply was cut off at the length limit. Continue exactly where it ended.", true});
  if (!added) return failed(added.error());
  return {};
}

model::Conversation Turn::conversation() const {
  const Transcript& transcript = parts_.journal.transcript();
  model::Conversation conversation{.system = transcript.system(), .turns = transcript.to_turns()};
  for (const auto& tool : parts_.runtime.tools().list())
    conversation.tools.push_back(
        {tool->definition.name, tool->definition.description, tool->definition.input_schema()});
  return conversation;
}

// Retrying is safe: no call runs before the reply is complete.
Expected<model::Reply> Turn::request_reply(model::Conversation& conversation) {
  constexpr int kMoreTries = 2;
  for (int tries = 0;;) {
    bool got_output = false;
    auto reply = request_once(conversation, got_output);
    const bool full = reply ? reply->stop == model::StopReason::kContextFull && reply->calls.empty()
                            : model::is_context_full(reply.error());
    if (full) {
      auto room = ContextWindow::trim_all(parts_.journal, conversation);
      if (!room) return fail(room.error());
      if (*room) continue;
      if (reply) return fail(window_full());
    }
    // The model itself has already retried failures before the first output.
    if (reply || !got_output || !reply.error().transient || is_stopped() || ++tries > kMoreTries)
      return reply;
    publish(ErrorEvent{.message = reply.error().message, .retrying = true});
    if (core::sleep_unless_stopped(std::chrono::milliseconds(500) * tries, stop_.token())) return reply;
  }
}

Expected<model::Reply> Turn::request_once(const model::Conversation& conversation, bool& got_output) {
  publish(TextEvent{.kind = TextEvent::Kind::kInit});
  model::Listener listener;
  const auto publish_piece = [this, &got_output](TextEvent::Kind kind, std::string_view text) {
    got_output = true;
    const std::uint64_t seq =
        parts_.session->events().publish(TextEvent{.kind = kind, .content = std::string(text)});
    [[maybe_unused]] const auto reserved =
        parts_.journal.reserve_events(seq);  // a failure ends the turn later
  };
  listener.on_reasoning = [&](std::string_view text) { publish_piece(TextEvent::Kind::kReasoning, text); };
  listener.on_call = [&got_output](const std::string&) { got_output = true; };
  listener.on_text = [&](std::string_view text) { publish_piece(TextEvent::Kind::kDelta, text); };
  listener.on_retry = [this](const Error& problem, std::chrono::milliseconds pause) {
    publish(
        ErrorEvent{.message = problem.message, .retrying = true, .details = {{"pauseMs", pause.count()}}});
  };
  auto reply = parts_.model.reply(conversation, listener, stop_.token());
  if (reply) publish(TextEvent{.kind = TextEvent::Kind::kFinal, .content = reply->text});
  return reply;
}

ReplyEntry Turn::entry_of(model::Reply reply, std::int64_t estimate) const {
  ReplyEntry entry{.raw = std::move(reply.raw),
                   .text = std::move(reply.text),
                   .stop = reply.stop,
                   .usage = reply.usage,
                   .estimate = estimate};
  // Some servers number calls from zero in every reply, but events, audit and journal need unique ids.
  std::set<std::string> taken;
  for (model::ToolCall& call : reply.calls) {
    std::string id = call.id;
    if (!is_usable_id(id) || taken.contains(id) || parts_.journal.transcript().has_call(id))
      id = random_id("call", 10);
    taken.insert(id);
    entry.calls.push_back({std::move(id), std::move(call)});
  }
  return entry;
}

Ending Turn::stopped_ending() const {
  if (TurnLimits::Clock::now() >= turn_limits_.deadline())
    if (auto over = turn_limits_.before_reply(parts_.journal.transcript())) return *std::move(over);
  return {"cancelled", Error{ErrorCode::kCancelled, "The turn was interrupted."}};
}

}  // namespace helve::agent
