#include "core/dispatcher.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/batch_questions.h"
#include "core/call_arguments.h"
#include "core/look_ahead.h"
#include "core/permission_question.h"
#include "core/progress_events.h"
#include "core/ready_list.h"
#include "core/session_state.h"
#include "core/tool_guide.h"
#include "core/tool_run.h"
#include "helve/settings/guide.h"
#include "helve/settings/results.h"
#include "helve/settings/tools.h"
#include "policy/decide.h"

namespace helve::core {

using Clock = ActiveCall::Clock;

namespace {

constexpr std::string_view kSessionKey = "session:";  // see Resource

// Most texts are short enough and are not copied.
void keep_short(std::string& text, std::size_t most) {
  if (text.size() > most) text = shortened(text, most);
}
// Other calls may change what the look-ahead found.
void doubt_preview(PermissionRequest& request) {
  if (request.diff.empty() && request.subject.empty()) return;
  request.subject.clear();
  request.diff_is_whole = false;
  request.notes.emplace_back("Other calls are under way; what they change is not in this preview.");
}

void keep_valid(std::string& text) {
  if (!is_valid_utf8(text)) text = to_valid_utf8(text);
}

}  // namespace

// Counts a call while it uses the dispatcher.
class Dispatcher::UnderWay {
 public:
  explicit UnderWay(Dispatcher& dispatcher) : dispatcher_(dispatcher) {
    const std::lock_guard lock(dispatcher_.mutex_);
    ++dispatcher_.calls_under_way_;
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    const std::lock_guard lock(dispatcher_.mutex_);
    --dispatcher_.calls_under_way_;
    dispatcher_.call_ended_.notify_all();
  }

 private:
  Dispatcher& dispatcher_;
};

Dispatcher::~Dispatcher() {
  std::unique_lock lock(mutex_);
  call_ended_.wait(lock, [&] { return calls_under_way_ == 0; });
}

std::size_t Dispatcher::calls_running() const {
  const std::lock_guard lock(mutex_);
  return calls_under_way_;
}

Answer Dispatcher::execute(const std::shared_ptr<Session>& session, Call call) {
  const UnderWay under_way(*this);
  Refusal refusal;
  ActiveCall active = enter(session, std::move(call), refusal);
  if (!refusal) authorise({&active, 1}, {&refusal, 1});
  if (!refusal) refusal = wait_for_turn(active);
  Result result = refusal ? Result(fail(*std::move(refusal))) : run(active);
  bound(active, result, nullptr);
  return answer(active, std::move(result));
}

ActiveCall Dispatcher::enter(const std::shared_ptr<Session>& session, Call call, Refusal& refusal) const {
  // Unique in the session, and short enough to be copied without an allocation.
  if (call.id.empty()) call.id = random_id("call", 10);
  keep_short(call.tool, 200);  // no tool has a longer name, and the name goes into records
  ActiveCall active{session, std::move(call)};
  refusal = resolve(active);  // before the first event, which names the tool's server
  if (active.has_audience()) {
    active.params = to_text(active.call.arguments);
    active.publish(ToolEvent::Kind::kStart, {.params = active.params});
  }
  if (!refusal) refusal = validate(active);
  return active;
}

Dispatcher::Refusal Dispatcher::resolve(ActiveCall& active) const {
  if (active.call.resolved) {
    active.tool = std::move(active.call.resolved);
    return {};
  }
  auto found = parts_.registry.wait_for(active.call.tool, active.call.stop);
  if (!found) return found.error();
  active.tool = *std::move(found);
  return {};
}

Dispatcher::Refusal Dispatcher::validate(ActiveCall& active) const {
  return caught(active.call.tool, parts_.engines->logger, [&]() -> Refusal {
    const ToolDefinition& definition = active.tool->definition;
    const ToolSettings& settings = parts_.engines->settings.tools;
    auto arguments =
        accept_arguments(*active.tool, std::move(active.call.arguments), settings.require_explanation);
    if (!arguments) return arguments.error();
    active.dry_run = arguments->dry_run;
    active.prepared = active.tool->tool->prepare(arguments->own);
    active.request = {
        .call_id = active.call.id,
        .tool = definition.name,
        .server = definition.server,
        // A dry run changes nothing, so it needs no more than permission to read.
        .effect = active.dry_run ? Effect::kRead : active.prepared->effect(),
        .arguments = std::move(arguments->own),
        .explanation = std::move(arguments->explanation),
    };
    active.resources = active.prepared->resources();
    constexpr std::string_view kFile = "file:";
    for (const Resource& resource : active.resources)
      if (resource.key.starts_with(kFile) && resource.key.size() > kFile.size())
        active.request.files.push_back(resource.key.substr(kFile.size()));
    for (Resource& resource : active.resources) {
      if (resource.key.starts_with(kSessionKey)) resource.key += concat(":", active.session->id());
      resource = normalised(std::move(resource), parts_.engines->root.path());
    }
    const auto own_limit = active.prepared->time_limit();
    const auto setting = std::chrono::milliseconds(settings.time_limit_ms);
    constexpr std::chrono::milliseconds kLongest = std::chrono::days(30);
    active.time_limit = std::min(active.call.time_limit.value_or(own_limit.value_or(setting)), kLongest);
    return {};
  });
}

Dispatcher::Refusal Dispatcher::decide(ActiveCall& active) {
  if (active.effect() != Effect::kRead) active.change.emplace(changes_under_way_, active.resources);
  active.question = std::make_unique<PermissionQuestion>(
      *parts_.engines, *active.session,
      PermissionQuestion::Parts{
          .request = active.request,
          .stop = active.call.stop,
          .look_ahead = [&](PermissionRequest& request) -> Expected<void> {
            if (auto refused = refused_by_root(request)) return fail(*std::move(refused));
            // Other calls may be about to change what this one needs.
            const bool alone = !active.change || active.change->is_alone();
            const auto record = [&] { return records_.add_look_ahead(active); };
            auto looked = look_ahead(parts_.engines, workers_, active, record);
            if (alone) return looked;
            if (!active.tool->definition.foresees) doubt_preview(request);
            return {};
          },
          .publish = [&](ToolEvent::Kind kind, ToolEvent event) { active.publish(kind, std::move(event)); }});
  Refusal refusal = caught(active.call.tool, parts_.engines->logger, [&]() -> Refusal {
    auto decided = active.question->decide();
    if (!decided) return std::move(decided).error();
    if (!*decided) return {};
    active.decision = **std::move(decided);
    active.question.reset();
    return {};
  });
  if (refusal) active.change.reset();
  return refusal;
}

void Dispatcher::authorise(std::span<ActiveCall> actives, std::span<Refusal> refusals) {
  std::vector<BatchQuestion> batch;
  for (std::size_t i = 0; i < actives.size(); ++i) {
    ActiveCall& active = actives[i];
    Refusal& refusal = refusals[i];
    if (!refusal) refusal = decide(active);
    if (refusal || !active.question) continue;
    batch.push_back({*active.question, [this, &active, &refusal](const auto& step) {
                       refusal = caught(active.call.tool, parts_.engines->logger, [&]() -> Refusal {
                         auto answer = step();
                         if (!answer) return std::move(answer).error();
                         active.decision = *std::move(answer);
                         return {};
                       });
                       if (refusal) active.change.reset();
                     }});
  }
  ask_batch(batch);
}

// Passes a hook's comment on the result to the model.
void Dispatcher::tell_hooks(const ActiveCall& active, Result& result) const {
  if (parts_.engines->hooks.empty()) return;
  policy::HookSubject subject = hook_subject(active);
  subject.result = Answer{.result = result, .call_id = active.call.id, .tool = active.call.tool}.to_json();
  const policy::HookOutcome outcome = active.session->state().hooks.run(
      *parts_.engines, *active.session, policy::Hook::Moment::kAfter, active.request, subject);
  if (outcome.kind != policy::HookOutcome::Kind::kBlock || outcome.reason.empty()) return;
  std::string& text = result ? result->content : result.error().hint;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += concat("A hook says: ", outcome.reason, "\n");
}

policy::HookSubject Dispatcher::hook_subject(const ActiveCall& active) const {
  return {.session_id = active.session->id(),
          .call_id = active.call.id,
          .workspace = parts_.engines->root.path(),
          .explanation = active.request.explanation};
}

Expected<Json> Dispatcher::explain(const std::shared_ptr<Session>& session, Call call) const {
  ActiveCall active{session, std::move(call)};
  Refusal refusal = resolve(active);
  if (!refusal) refusal = validate(active);
  if (refusal) return fail(*std::move(refusal));
  Json explained = session->permissions().explain(active.request);
  if (auto refused = refused_by_root(active.request)) {
    explained["verdict"] = "deny";
    explained["reason"] = std::move(refused->message);
    explained.as_object().erase("steps");
    explained.as_object().erase("alwaysWouldAllow");
  }
  return explained;
}

// Refuses what no rule can allow: paths outside the workspace, and writes to protected paths.
Dispatcher::Refusal Dispatcher::refused_by_root(const PermissionRequest& request) const {
  const workspace::Root& root = parts_.engines->root;
  for (const std::string& path : policy::paths_of_call(request.tool, request.arguments).paths) {
    Refusal refusal;
    if (request.effect != Effect::kRead) {
      if (const auto target = root.open_parent(path); !target) refusal = target.error();
    } else if (const auto status = root.stat(path); !status) {
      refusal = status.error();
    }
    if (refusal && (refusal->code == ErrorCode::kSecurity || refusal->code == ErrorCode::kPermissionDenied))
      return refusal;
  }
  return {};
}

Dispatcher::Refusal Dispatcher::wait_for_turn(ActiveCall& active) {
  if (auto free = queue_.enter_if_free(active.resources)) {
    active.place = *std::move(free);
    return {};
  }
  ReadyList turn({{active.call.stop, Clock::now() + active.time_limit}});
  active.place = queue_.enter(active.resources, turn.on_turn(0));
  if (turn.take()->has_turn) return {};
  active.place.leave();
  return no_turn_error(active.call.stop);
}

Result Dispatcher::run(ActiveCall& active) {
  const ResourceQueue::Place place = std::move(active.place);  // leaves the queue at the end of this scope
  if (active.call.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before it ran.");
  if (auto recorded = records_.add_intent(active); !recorded && active.effect() != Effect::kRead)
    return fail(ErrorCode::kUnavailable,
                concat("The call could not be recorded, so it was not made: ", recorded.error().message),
                "Make room for the audit file, or switch the audit off in the settings.");
  if (active.call.on_start)
    if (auto noted = active.call.on_start(active.effect()); !noted)
      return fail(ErrorCode::kUnavailable,
                  concat("The call could not be written down, so it was not made: ", noted.error().message),
                  noted.error().hint);
  // The time limit starts here: waiting for the user or for earlier calls does not count.
  active.started = Clock::now();
  active.deadline = *active.started + active.time_limit;
  active.publish(ToolEvent::Kind::kRunning, {.params = std::move(active.params)});
  Result result = run_with_retries(active);
  tell_hooks(active, result);
  return result;
}

Result Dispatcher::run_with_retries(ActiveCall& active) {
  const GuideSettings& guide = parts_.engines->settings.guide;
  auto delay = std::chrono::milliseconds(guide.retry_ms);
  for (int attempt = 0;; ++attempt, delay *= 2) {
    Result result = run_once(active);
    // Only read-only calls are retried: others may have had effects before they failed.
    const bool worth_retrying = !result && result.error().transient && active.effect() == Effect::kRead;
    if (!worth_retrying || attempt >= guide.retries || Clock::now() + delay >= active.deadline) return result;
    if (sleep_unless_stopped(delay, active.call.stop)) return result;
  }
}

Result Dispatcher::run_once(ActiveCall& active) {
  Context::Parts context{.session = active.session,
                         .engines = parts_.engines,
                         .tool = active.tool->definition.name,
                         .call_id = active.call.id,
                         .stop = active.call.stop,
                         .deadline = active.deadline,
                         .dry_run = active.dry_run,
                         .trace = active.call.trace};
  if (active.tool->definition.honours_stop) {
    ProgressOnDemand progress(active);
    context.on_progress = [&progress](const Progress& report) { progress.report(report); };
    Context own(std::move(context));
    return run_tool(*active.tool, *active.prepared, own);
  }
  context.on_progress = progress_events(active);
  return run_guarded(workers_, {active.tool, active.prepared}, std::move(context));
}

void Dispatcher::bound(const ActiveCall& active, Result& result, Budget* budget) const {
  constexpr std::size_t kLongestError = 8000;
  if (!result) {
    Error& error = result.error();
    if (active.tool)
      add_fallbacks(
          parts_.engines->settings.guide, active.call.tool,
          [&](std::string_view name) { return parts_.registry.find(name).has_value(); }, error);
    keep_valid(error.message);
    keep_valid(error.hint);
    keep_short(error.message, kLongestError);
    keep_short(error.hint, kLongestError);
    return;
  }
  keep_valid(result->summary);
  keep_short(result->summary, kLongestError);
  keep_valid(result->content);
  const ToolDefinition& definition = active.tool->definition;
  std::size_t limit = parts_.offload.limit_for(definition.name, definition.result_limit);
  if (budget != nullptr) limit = std::min(limit, budget->load());
  parts_.offload.bound(*result, definition.name, limit, *active.session);
  if (budget == nullptr) return;
  std::size_t left = budget->load();
  while (!budget->compare_exchange_weak(left, left - std::min(left, result->content.size()))) {
  }
}

Answer Dispatcher::answer(const ActiveCall& active, Result result) const {
  const auto elapsed = active.started ? Clock::now() - *active.started : Clock::duration::zero();
  const double milliseconds = std::chrono::duration<double, std::milli>(elapsed).count();
  Answer answer{std::move(result), active.call.id, std::llround(milliseconds), active.call.tool};
  const std::string outcome = answer.ok() ? "ok" : std::string(to_string(answer.result.error().code));
  const std::string& said = answer.ok() ? answer.result->summary : answer.result.error().message;
  records_.add_result(active, answer, outcome);
  if (active.call.on_answer) active.call.on_answer(answer);
  // An unknown tool name must not create a new counter.
  parts_.metrics.count(active.tool ? std::string_view(active.call.tool) : "(unknown)",
                       answer.ok() ? std::nullopt : std::optional(answer.result.error().code), elapsed);
  if (active.has_audience())
    active.publish(answer.ok() ? ToolEvent::Kind::kEnd : ToolEvent::Kind::kError,
                   {.response = said, .answer = std::make_shared<const Answer>(answer)});
  return answer;
}

std::vector<Answer> Dispatcher::execute_many(const std::shared_ptr<Session>& session,
                                             std::vector<Call> calls) {
  const UnderWay under_way(*this);
  std::vector<ActiveCall> actives;
  std::vector<Refusal> refusals;
  for (Call& call : calls) {
    Refusal refusal;
    actives.push_back(enter(session, std::move(call), refusal));
    refusals.push_back(std::move(refusal));
  }
  // Everything is decided before anything runs, so that the user decides about the state that the batch was
  // made for.
  authorise(actives, refusals);

  std::vector<ReadyList::Member> members;
  for (const ActiveCall& active : actives)
    members.push_back({active.call.stop, Clock::now() + active.time_limit});
  ReadyList ready(std::move(members));
  std::vector<Answer> answers(actives.size());
  for (std::size_t i = 0; i < actives.size(); ++i) {
    if (refusals[i]) {
      Result refused = fail(*std::move(refusals[i]));
      bound(actives[i], refused, nullptr);
      answers[i] = answer(actives[i], std::move(refused));
      ready.skip(i);
    } else {
      actives[i].place = queue_.enter(actives[i].resources, ready.on_turn(i));
    }
  }
  Budget budget = static_cast<std::size_t>(parts_.engines->settings.results.batch_limit);
  ready.work_off(static_cast<std::size_t>(parts_.engines->settings.tools.parallel_calls),
                 [&](const ReadyList::Taken& member) {
                   ActiveCall& active = actives[member.index];
                   if (!member.has_turn) active.place.leave();
                   Result result = member.has_turn ? run(active) : fail(no_turn_error(active.call.stop));
                   bound(active, result, &budget);
                   answers[member.index] = answer(active, std::move(result));
                 });
  return answers;
}

}  // namespace helve::core
