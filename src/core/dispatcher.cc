#include "core/dispatcher.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/call_arguments.h"
#include "core/look_ahead.h"
#include "core/permission_question.h"
#include "core/progress_events.h"
#include "core/ready_list.h"
#include "core/session_state.h"
#include "core/tool_guide.h"
#include "core/tool_run.h"
#include "policy/call_paths.h"

namespace helve {

using Clock = Passage::Clock;

namespace {

// Most texts are as they should be, and are not written again.
void keep_short(std::string& text, std::size_t most) {
  if (text.size() > most) text = shortened(text, most);
}
// A call that others run beside or before may find something else than the look ahead did.
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

// Counts a call for as long as it uses the dispatcher.
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
  Passage passage = enter(session, std::move(call));
  Refusal refusal = resolve(passage);
  if (!refusal) refusal = validate(passage);
  if (!refusal) refusal = authorise(passage);
  if (!refusal) refusal = wait_for_turn(passage);
  Result result = refusal ? Result(fail(*std::move(refusal))) : run(passage);
  bound(passage, result, nullptr);
  return answer(passage, std::move(result));
}

Passage Dispatcher::enter(const std::shared_ptr<Session>& session, Call call) const {
  // Unlike any other id in the session and short enough to be copied without allocating, which happens often.
  if (call.id.empty()) call.id = random_id("call", 10);
  keep_short(call.tool, 200);  // no tool has a longer name, and this one goes into records
  Passage passage{session, std::move(call)};
  if (passage.has_audience())
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
  return caught(passage.call.tool, parts_.engines->logger, [&]() -> Refusal {
    const ToolDefinition& definition = passage.tool->definition;
    const Settings::Tools& settings = parts_.engines->settings.tools;
    auto arguments =
        accept_arguments(definition, std::move(passage.call.arguments), settings.require_explanation);
    if (!arguments) return arguments.error();
    passage.call.arguments = std::move(arguments->own);
    passage.explanation = std::move(arguments->explanation);
    passage.dry_run = arguments->dry_run;

    const Tool& tool = *passage.tool->tool;
    // A dry run changes nothing, so it needs no more than leave to read.
    passage.effect = passage.dry_run ? Effect::kRead : tool.effect(passage.call.arguments);
    passage.resources = resources_of(tool, passage.call.arguments, parts_.engines->root.path());
    const auto own_limit = tool.time_limit(passage.call.arguments);
    const auto setting = std::chrono::milliseconds(settings.time_limit_ms);
    constexpr std::chrono::milliseconds kLongest = std::chrono::days(30);
    passage.time_limit = std::min(passage.call.time_limit.value_or(own_limit.value_or(setting)), kLongest);
    return {};
  });
}

Dispatcher::Refusal Dispatcher::authorise(Passage& passage) {
  if (passage.effect != Effect::kRead) passage.change.emplace(changes_under_way_, passage.resources);
  Refusal refusal = caught(passage.call.tool, parts_.engines->logger, [&]() -> Refusal {
    PermissionQuestion question{
        .request = permission_request(passage, Json()),
        .stop = passage.call.stop,
        .look_ahead = [&](PermissionRequest& request) -> Expected<void> {
          if (auto refused = refused_by_root(request)) return fail(*std::move(refused));
          // What others are about to change may be what it needs.
          const bool alone = !passage.change || passage.change->is_alone();
          const auto tell = [&] { return records_.add_look_ahead(passage, request.arguments); };
          auto looked = look_ahead(parts_.engines, workers_, passage, request, tell);
          if (alone) return looked;
          if (!passage.tool->definition.foresees) doubt_preview(request);
          return {};
        },
        .publish = [&](ToolEvent::Kind kind, ToolEvent event) { passage.publish(kind, std::move(event)); }};
    // Lent, as most questions answer themselves, and a copy would cost more than that.
    std::swap(question.request.arguments, passage.call.arguments);
    auto settled = settle_permission(*parts_.engines, *passage.session, question);
    std::swap(question.request.arguments, passage.call.arguments);
    if (!settled) return std::move(settled).error();
    passage.decision = *std::move(settled);
    return {};
  });
  if (refusal) passage.change.reset();
  return refusal;
}

PermissionRequest Dispatcher::permission_request(const Passage& passage, Json arguments) {
  const ToolDefinition& definition = passage.tool->definition;
  return {.call_id = passage.call.id,
          .tool = definition.name,
          .server = definition.server,
          .effect = passage.effect,
          .arguments = std::move(arguments),
          .explanation = passage.explanation};
}

// What a hook has to say about the result goes to the model.
void Dispatcher::tell_hooks(const Passage& passage, Result& result) const {
  if (parts_.engines->hooks.empty()) return;
  policy::HookSubject subject = hook_subject(passage);
  subject.result = Answer{result, passage.call.id}.to_json();
  const policy::HookOutcome outcome = passage.session->state().hooks.run(
      *parts_.engines, *passage.session, policy::Hook::Moment::kAfter,
      policy::to_call(permission_request(passage, passage.call.arguments)), subject);
  if (outcome.kind != policy::HookOutcome::Kind::kBlock || outcome.reason.empty()) return;
  std::string& text = result ? result->content : result.error().hint;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += concat("A hook says: ", outcome.reason, "\n");
}

policy::HookSubject Dispatcher::hook_subject(const Passage& passage) const {
  return {.session_id = passage.session->id(),
          .call_id = passage.call.id,
          .workspace = parts_.engines->root.path(),
          .explanation = passage.explanation};
}

Expected<Json> Dispatcher::explain(const std::shared_ptr<Session>& session, Call call) const {
  Passage passage{session, std::move(call)};
  Refusal refusal = resolve(passage);
  if (!refusal) refusal = validate(passage);
  if (refusal) return fail(*std::move(refusal));
  const PermissionRequest request = permission_request(passage, passage.call.arguments);
  Json explained = session->permissions().explain(request);
  if (auto refused = refused_by_root(request)) {
    explained["verdict"] = "deny";
    explained["reason"] = std::move(refused->message);
    explained.as_object().erase("steps");
    explained.as_object().erase("alwaysWouldAllow");
  }
  return explained;
}

// What no rule can allow: paths outside of the workspace, and protected ones to those who would write.
Dispatcher::Refusal Dispatcher::refused_by_root(const PermissionRequest& request) const {
  const Root& root = parts_.engines->root;
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

Dispatcher::Refusal Dispatcher::wait_for_turn(Passage& passage) {
  if (auto free = queue_.enter_if_free(passage.resources)) {
    passage.place = *std::move(free);
    return {};
  }
  ReadyList turn({{passage.call.stop, Clock::now() + passage.time_limit}});
  passage.place = queue_.enter(passage.resources, turn.on_turn(0));
  if (turn.take()->has_turn) return {};
  passage.place.leave();
  return no_turn_error(passage.call.stop);
}

Result Dispatcher::run(Passage& passage) {
  const ResourceQueue::Place place = std::move(passage.place);  // left when this call is through
  if (passage.call.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before it ran.");
  if (auto recorded = records_.add_intent(passage); !recorded && passage.effect != Effect::kRead)
    return fail(ErrorCode::kUnavailable,
                concat("The call could not be recorded, so it was not made: ", recorded.error().message),
                "Make room for the audit file, or switch the audit off in the settings.");
  if (passage.call.on_start)
    if (auto noted = passage.call.on_start(passage.effect); !noted)
      return fail(ErrorCode::kUnavailable,
                  concat("The call could not be written down, so it was not made: ", noted.error().message),
                  noted.error().hint);
  // Only now: neither a person's thinking nor the calls before are this tool's time.
  passage.started = Clock::now();
  passage.deadline = *passage.started + passage.time_limit;
  passage.publish(ToolEvent::Kind::kRunning);
  Result result = run_with_retries(passage);
  tell_hooks(passage, result);
  return result;
}

Result Dispatcher::run_with_retries(Passage& passage) {
  const Settings::Guide& guide = parts_.engines->settings.guide;
  auto delay = std::chrono::milliseconds(guide.retry_ms);
  for (int attempt = 0;; ++attempt, delay *= 2) {
    Result result = run_once(passage);
    // Only reading may be repeated: a tool with effects may have had them before it failed.
    const bool worth_retrying = !result && result.error().transient && passage.effect == Effect::kRead;
    if (!worth_retrying || attempt >= guide.retries || Clock::now() + delay >= passage.deadline)
      return result;
    if (sleep_unless_stopped(delay, passage.call.stop)) return result;
  }
}

Result Dispatcher::run_once(Passage& passage) {
  Context::Parts context{.session = passage.session,
                         .engines = parts_.engines,
                         .call_id = passage.call.id,
                         .stop = passage.call.stop,
                         .deadline = passage.deadline,
                         .dry_run = passage.dry_run};
  if (passage.tool->definition.honours_stop) {
    ProgressOnDemand progress(passage);
    context.on_progress = [&progress](const Progress& report) { progress.report(report); };
    Context own(std::move(context));
    return run_tool(*passage.tool->tool, own, passage.call.arguments);
  }
  context.on_progress = progress_events(passage);
  return run_guarded(workers_, passage.tool, std::move(context), passage.call.arguments);
}

void Dispatcher::bound(const Passage& passage, Result& result, Budget* budget) const {
  constexpr std::size_t kLongestError = 8000;
  if (!result) {
    Error& error = result.error();
    if (passage.tool)
      add_fallbacks(
          parts_.engines->settings.guide, passage.call.tool,
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
  const ToolDefinition& definition = passage.tool->definition;
  std::size_t limit = parts_.offload.limit_for(definition.name, definition.result_limit);
  if (budget != nullptr) limit = std::min(limit, budget->load());
  parts_.offload.bound(*result, definition.name, limit, *passage.session);
  if (budget == nullptr) return;
  std::size_t left = budget->load();
  while (!budget->compare_exchange_weak(left, left - std::min(left, result->content.size()))) {
  }
}

Answer Dispatcher::answer(const Passage& passage, Result result) const {
  const auto elapsed = passage.started ? Clock::now() - *passage.started : Clock::duration::zero();
  const double milliseconds = std::chrono::duration<double, std::milli>(elapsed).count();
  Answer answer{std::move(result), passage.call.id, std::llround(milliseconds)};
  const std::string outcome = answer.ok() ? "ok" : std::string(to_string(answer.result.error().code));
  const std::string& said = answer.ok() ? answer.result->summary : answer.result.error().message;
  records_.add_result(passage, answer, outcome);
  if (passage.call.on_answer) passage.call.on_answer(answer);
  // A made-up tool name must not become a new counter.
  parts_.metrics.count(passage.tool ? std::string_view(passage.call.tool) : "(unknown)",
                       answer.ok() ? std::nullopt : std::optional(answer.result.error().code), elapsed);
  if (passage.has_audience())
    passage.publish(answer.ok() ? ToolEvent::Kind::kEnd : ToolEvent::Kind::kError,
                    {.response = said, .answer = std::make_shared<const Answer>(answer)});
  return answer;
}

std::vector<Answer> Dispatcher::execute_many(const std::shared_ptr<Session>& session,
                                             std::vector<Call> calls) {
  const UnderWay under_way(*this);
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

  std::vector<ReadyList::Member> members;
  for (const Passage& passage : passages)
    members.push_back({passage.call.stop, Clock::now() + passage.time_limit});
  ReadyList ready(std::move(members));
  std::vector<Answer> answers(passages.size());
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (refusals[i]) {
      Result refused = fail(*std::move(refusals[i]));
      bound(passages[i], refused, nullptr);
      answers[i] = answer(passages[i], std::move(refused));
      ready.skip(i);
    } else {
      passages[i].place = queue_.enter(passages[i].resources, ready.on_turn(i));
    }
  }
  Budget budget = static_cast<std::size_t>(parts_.engines->settings.results.batch_limit);
  ready.work_off(static_cast<std::size_t>(parts_.engines->settings.tools.parallel_calls),
                 [&](const ReadyList::Taken& member) {
                   Passage& passage = passages[member.index];
                   if (!member.has_turn) passage.place.leave();
                   Result result = member.has_turn ? run(passage) : fail(no_turn_error(passage.call.stop));
                   bound(passage, result, &budget);
                   answers[member.index] = answer(passage, std::move(result));
                 });
  return answers;
}

}  // namespace helve
