#include "core/dispatcher.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/approval.h"
#include "core/tool_run.h"

namespace helve {

using Clock = Context::Clock;

struct Dispatcher::Passage {
  std::shared_ptr<Session> session;
  Call call;
  Clock::time_point started = Clock::now();
  std::shared_ptr<const RegisteredTool> tool = {};
  Effect effect = Effect::kRead;
  std::string explanation = {};
  bool dry_run = false;
  std::string decision = {};  // why it may run
  std::chrono::milliseconds time_limit{0};
  Clock::time_point deadline = Clock::time_point::max();
  ResourceQueue::Place place = {};

  void publish(ToolEvent::Kind kind, ToolEvent event = {}) const {
    event.kind = kind;
    event.call_id = call.id;
    event.tool = call.tool;
    if (tool) event.server = tool->definition.server;
    session->events().publish(std::move(event));
  }
};

Answer Dispatcher::execute(const std::shared_ptr<Session>& session, Call call) {
  Passage passage = enter(session, std::move(call));
  if (auto refusal = resolve(passage)) return answer(passage, fail(*refusal));
  if (auto refusal = validate(passage)) return answer(passage, fail(*refusal));
  if (auto refusal = authorise(passage)) return answer(passage, fail(*refusal));
  if (auto refusal = wait_for_turn(passage)) return answer(passage, fail(*refusal));
  Result result = run(passage);
  bound(passage, result);
  return answer(passage, std::move(result));
}

Dispatcher::Passage Dispatcher::enter(const std::shared_ptr<Session>& session, Call call) const {
  if (call.id.empty()) call.id = random_id("call");
  Passage passage{session, std::move(call)};
  passage.publish(ToolEvent::Kind::kStart, {.params = to_text(passage.call.arguments)});
  return passage;
}

Dispatcher::Refusal Dispatcher::resolve(Passage& passage) const {
  auto found = parts_.registry.find(passage.call.tool);
  if (!found) return found.error();
  passage.tool = *std::move(found);
  return {};
}

Dispatcher::Refusal Dispatcher::validate(Passage& passage) const {
  const ToolDefinition& definition = passage.tool->definition;
  const Json& arguments = passage.call.arguments;
  if (const auto complaints = helve::validate(definition.params, arguments); !complaints.empty())
    return invalid_arguments(definition.name, complaints);
  passage.effect = passage.tool->tool->effect(arguments);
  if (const Json* explanation = arguments.find("explanation");
      explanation != nullptr && explanation->is_string())
    passage.explanation = explanation->as_string();
  if (const Json* dry_run = arguments.find("dryRun"); dry_run != nullptr && dry_run->is_bool())
    passage.dry_run = dry_run->as_bool();
  const auto setting = std::chrono::milliseconds(parts_.engines->settings.tools.time_limit_ms);
  const auto own = passage.tool->tool->time_limit(arguments);
  passage.time_limit = passage.call.time_limit.value_or(own.value_or(setting));
  return {};
}

Dispatcher::Refusal Dispatcher::authorise(Passage& passage) const {
  const ToolDefinition& definition = passage.tool->definition;
  PermissionRequest request{passage.call.id, definition.name,        definition.server,
                            passage.effect,  passage.call.arguments, passage.explanation};
  const Decision decision = passage.session->permissions().decide(request);
  passage.decision = decision.reason;
  if (decision.verdict == Decision::Verdict::kAllow || passage.dry_run) return {};
  if (decision.verdict == Decision::Verdict::kDeny) return permission_denied(request, decision.reason);
  if (passage.session->approver() == nullptr)
    return permission_denied(request, concat(decision.reason, ", and there is nobody to ask"));

  passage.publish(ToolEvent::Kind::kPermissionRequired,
                  {.permission_request = permission_request_json(request)});
  const Approval approval = passage.session->approver()->ask(request, passage.call.stop);
  passage.publish(approval.granted ? ToolEvent::Kind::kPermissionGranted
                                   : ToolEvent::Kind::kPermissionDenied);
  if (!approval.granted) return user_denied(request, approval.reason);
  passage.decision = "the person agreed";
  return {};
}

Dispatcher::Refusal Dispatcher::wait_for_turn(Passage& passage) {
  struct Turn {
    std::mutex mutex;
    std::condition_variable_any came;
    bool has_come = false;
  };
  const auto turn = std::make_shared<Turn>();
  passage.place = queue_.enter(
      resources_of(*passage.tool->tool, passage.call.arguments, parts_.engines->root.path()), [turn] {
        const std::lock_guard lock(turn->mutex);
        turn->has_come = true;
        turn->came.notify_all();
      });
  std::unique_lock lock(turn->mutex);
  if (turn->came.wait_until(lock, passage.call.stop, Clock::now() + passage.time_limit,
                            [&] { return turn->has_come; }))
    return {};
  passage.place.leave();
  if (passage.call.stop.stop_requested())
    return Error{ErrorCode::kCancelled, "The call was cancelled before it ran."};
  return Error{ErrorCode::kTimeout,
               "Another call used the same resource until the time was over; nothing was run.",
               "Wait for the other call to end, then call again."};
}

Result Dispatcher::run(Passage& passage) {
  if (passage.call.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before it ran.");
  // Only now: neither a person's thinking nor the calls before are this tool's time.
  passage.deadline = Clock::now() + passage.time_limit;
  record_intent(passage);
  passage.publish(ToolEvent::Kind::kRunning);
  Result result = run_with_retries(passage);
  passage.place.leave();
  return result;
}

Result Dispatcher::run_with_retries(Passage& passage) {
  constexpr int kRetries = 3;
  auto delay = std::chrono::milliseconds(50);
  for (int attempt = 0;; ++attempt, delay *= 2) {
    Result result = run_once(passage);
    // Only reading may be repeated: a tool with effects may have had them before it failed.
    const bool worth_retrying = !result && result.error().transient && passage.effect == Effect::kRead;
    if (!worth_retrying || attempt == kRetries || Clock::now() + delay >= passage.deadline) return result;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, passage.call.stop, delay, [] { return false; });
    if (passage.call.stop.stop_requested()) return result;
  }
}

Result Dispatcher::run_once(Passage& passage) {
  Context::Parts context{.session = passage.session,
                         .engines = parts_.engines,
                         .call_id = passage.call.id,
                         .stop = passage.call.stop,
                         .deadline = passage.deadline,
                         .dry_run = passage.dry_run,
                         .on_progress = passage.call.on_progress};
  if (passage.tool->definition.honours_stop) {
    Context own(std::move(context));
    return run_tool(*passage.tool->tool, own, passage.call.arguments);
  }
  return run_guarded(workers_, passage.tool, std::move(context), passage.call.arguments);
}

void Dispatcher::bound(const Passage& passage, Result& result) {
  if (!result) {
    result.error().message = to_valid_utf8(result.error().message);
    return;
  }
  result->summary = to_valid_utf8(result->summary);
  if (!is_valid_utf8(result->content)) result->content = to_valid_utf8(result->content);
  const ToolDefinition& definition = passage.tool->definition;
  parts_.offload.bound(*result, definition.name,
                       parts_.offload.limit_for(definition.name, definition.result_limit), *passage.session);
}

void Dispatcher::record_intent(const Passage& passage) {
  constexpr std::size_t kLongestString = 500;
  record({{"kind", "intent"},
          {"session", passage.session->id()},
          {"call", passage.call.id},
          {"tool", passage.call.tool},
          {"effect", name_of(passage.effect)},
          {"workspace", parts_.engines->root.path()},
          {"arguments", redact_json(passage.call.arguments, kLongestString)},
          {"decision", passage.decision}});
}

Answer Dispatcher::answer(const Passage& passage, Result result) {
  const auto elapsed = std::chrono::duration<double, std::milli>(Clock::now() - passage.started);
  Answer answer{std::move(result), passage.call.id, std::llround(elapsed.count())};
  const std::string outcome = answer.ok() ? "ok" : std::string(to_string(answer.result.error().code));
  const std::string said = answer.ok() ? answer.result->summary : answer.result.error().message;
  JsonObject entry{{"kind", "result"},
                   {"session", passage.session->id()},
                   {"call", passage.call.id},
                   {"tool", passage.call.tool},
                   {"outcome", outcome},
                   {"summary", redact_text(utf8_prefix(said, 500))},
                   {"executionTimeMs", answer.execution_time_ms}};
  if (answer.ok() && !answer.result->affected_paths.empty()) {
    JsonArray paths;
    for (const std::string& path : answer.result->affected_paths) paths.emplace_back(path);
    entry.append("affectedPaths", std::move(paths));
  }
  record(std::move(entry));
  // A made-up tool name must not become a new counter.
  parts_.metrics.count(passage.tool ? passage.call.tool : "(unknown)", outcome, elapsed.count());
  passage.publish(answer.ok() ? ToolEvent::Kind::kEnd : ToolEvent::Kind::kError,
                  {.response = said, .envelope = answer.to_json()});
  return answer;
}

void Dispatcher::record(JsonObject entry) {
  if (parts_.audit == nullptr) return;
  if (auto written = parts_.audit->append(std::move(entry)); !written)
    parts_.engines->logger.error("The audit record could not be written",
                                 {{"error", written.error().message}});
}

std::vector<Answer> Dispatcher::execute_many(const std::shared_ptr<Session>& session,
                                             std::vector<Call> calls) {
  std::vector<Passage> passages;
  std::vector<Refusal> refusals;
  for (Call& call : calls) {
    Passage passage = enter(session, std::move(call));
    Refusal refusal = resolve(passage);
    if (!refusal) refusal = validate(passage);
    passages.push_back(std::move(passage));
    refusals.push_back(std::move(refusal));
  }
  // Nothing runs before everything is decided, so that a person who is asked sees the state that the batch
  // was made for.
  for (std::size_t i = 0; i < passages.size(); ++i)
    if (!refusals[i]) refusals[i] = authorise(passages[i]);

  std::vector<Answer> answers(passages.size());
  ReadyList ready(passages.size());
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (refusals[i]) {
      answers[i] = answer(passages[i], fail(*std::move(refusals[i])));
      ready.skip_one();
      continue;
    }
    const Passage& passage = passages[i];
    passages[i].place =
        queue_.enter(resources_of(*passage.tool->tool, passage.call.arguments, parts_.engines->root.path()),
                     [&ready, i] { ready.add(i); });
  }
  ready.work_off(static_cast<std::size_t>(parts_.engines->settings.tools.parallel_calls), [&](std::size_t i) {
    Result result = run(passages[i]);
    bound(passages[i], result);
    answers[i] = answer(passages[i], std::move(result));
  });
  bound_batch(session, passages, answers);
  return answers;
}

void Dispatcher::bound_batch(const std::shared_ptr<Session>& session, std::vector<Passage>& passages,
                             std::vector<Answer>& answers) {
  auto budget = static_cast<std::size_t>(parts_.engines->settings.results.batch_limit);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].ok()) continue;
    Output& output = *answers[i].result;
    parts_.offload.bound(output, passages[i].call.tool, budget, *session);
    budget -= std::min(budget, output.content.size());
  }
}

}  // namespace helve
