#include "core/permission_question.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "core/approval.h"
#include "core/session_state.h"
#include "helve/settings/tools.h"
#include "policy/hooks.h"

namespace helve::core {
namespace {

// A hook can make the decision stricter, or answer a question in the user's place. Returns whether a hook
// wants the user to be asked.
bool ask_hooks(Engines& engines, const Session& session, const PermissionRequest& request,
               Decision& decision) {
  if (engines.hooks.empty()) return false;
  using Outcome = policy::HookOutcome::Kind;
  const policy::HookOutcome outcome =
      session.state().hooks.run(engines, session, policy::Hook::Moment::kBefore, policy::to_call(request),
                                {.session_id = session.id(),
                                 .call_id = request.call_id,
                                 .workspace = engines.root.path(),
                                 .explanation = request.explanation});
  if (outcome.kind == Outcome::kBlock)
    decision = {Decision::Verdict::kDeny, concat("a hook says: ", outcome.reason)};
  if (outcome.kind == Outcome::kAllow) decision = {Decision::Verdict::kAllow, "a hook allows it"};
  if (outcome.kind == Outcome::kAsk)
    decision = {session.mode() == Mode::kAuto ? Decision::Verdict::kDeny : Decision::Verdict::kAsk,
                outcome.reason.empty() ? "a hook asks" : outcome.reason};
  return outcome.kind == Outcome::kAsk;
}

// A setting that disables exec also keeps commands from running through other tools.
bool exec_is_disabled(const ToolSettings& settings) {
  bool disabled = false;  // a list that does not mention exec says nothing about commands
  for (std::string_view rule : settings.enabled) {
    const bool removes = rule.starts_with('-');
    if (removes) rule.remove_prefix(1);
    if (rule == "exec" || rule == "base" || rule == "*") disabled = removes;
  }
  return disabled;
}

}  // namespace

Expected<std::string> settle_permission(Engines& engines, Session& session,
                                        const PermissionQuestion& question) {
  PermissionRequest& request = question.request;
  Permissions& permissions = session.permissions();
  Decision decision = permissions.decide(request);
  if (!question.must_ask.empty() && decision.verdict == Decision::Verdict::kAllow &&
      session.mode() != Mode::kFull)
    decision = {session.mode() == Mode::kAuto ? Decision::Verdict::kDeny : Decision::Verdict::kAsk,
                question.must_ask};
  const Decision::Verdict by_rules = decision.verdict;
  const bool hook_asks =
      decision.verdict != Decision::Verdict::kDeny && ask_hooks(engines, session, request, decision);
  if (decision.verdict == Decision::Verdict::kAllow) return decision.reason;
  if (decision.verdict == Decision::Verdict::kDeny) return fail(permission_denied(request, decision));
  request.rules = permissions.suggest(request);
  if (!hook_asks) request.session_covers = permissions.session_covers(request);  // a hook asks every time
  request.workspace = engines.root.path();
  const auto nobody = [&](std::string_view obstacle = {}) {
    Error error = nobody_to_ask(request, decision, obstacle);
    // No mode and no rule can answer a hook's question.
    if (by_rules == Decision::Verdict::kAllow)
      error = permission_denied(request,
                                {.verdict = decision.verdict, .reason = text_in(error.details, "reason")});
    return fail(std::move(error));
  };
  if (session.approver() == nullptr || !session.approver()->can_ask(request)) return nobody();
  // A hook's question may be about anything, so the user sees it before anything is tried.
  if (question.look_ahead && by_rules == Decision::Verdict::kAsk && !hook_asks)
    if (auto looked = question.look_ahead(request); !looked) return fail(std::move(looked).error());

  request.reason = request.reason.empty() ? decision.reason : concat(request.reason, "; ", decision.reason);
  question.publish(ToolEvent::Kind::kPermissionRequired,
                   {.permission_request = permission_request_json(request)});
  const Approval approval = session.approver()->ask(request, question.stop);
  if (!approval.granted && question.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before it was allowed.");
  question.publish(
      approval.granted ? ToolEvent::Kind::kPermissionGranted : ToolEvent::Kind::kPermissionDenied, {});
  if (!approval.granted && !approval.asked) return nobody(approval.reason);
  if (!approval.granted) return fail(user_denied(request, approval.reason));
  if (auto remembered = permissions.remember(request, approval.scope); !remembered)
    engines.logger.warning("The approval could not be saved and holds for this call only",
                           {{"error", remembered.error().message}});
  return "the user approved it";
}

Expected<std::string> settle_within_call(const Context& context, PermissionRequest request,
                                         std::string must_ask) {
  Session& session = context.session();
  const PermissionQuestion question{.request = request,
                                    .stop = context.stop_token(),
                                    .must_ask = std::move(must_ask),
                                    .publish = [&](ToolEvent::Kind kind, ToolEvent event) {
                                      event.kind = kind;
                                      event.call_id = request.call_id;
                                      event.tool = request.tool;
                                      session.events().publish(std::move(event));
                                    }};
  return settle_permission(context.engines(), session, question);
}

Expected<std::string> may_execute(const Context& context, const std::string& command,
                                  const std::string& directory, const std::string& why) {
  PermissionRequest request{.call_id = context.call_id(),
                            .tool = "exec",
                            .effect = Effect::kExecute,
                            .arguments = JsonObject{{"command", command}, {"cwd", directory}},
                            .reason = why};
  if (exec_is_disabled(context.engines().settings.tools))
    return fail(permission_denied(request, {.reason = "the setting tools.enabled disables exec"}));
  return settle_within_call(context, std::move(request));
}

}  // namespace helve::core
