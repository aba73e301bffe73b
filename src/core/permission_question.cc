#include "core/permission_question.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "core/approval.h"
#include "core/session_state.h"
#include "policy/hooks.h"

namespace helve {
namespace {

// A hook can make the decision stricter, and answer a question in the person's place.
// Whether one wants the person to be asked.
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

// Whoever takes exec away does not want commands to run through another tool either.
bool exec_is_taken_away(const Settings::Tools& settings) {
  bool taken = false;  // a list that names other tools only says nothing about commands
  for (std::string_view rule : settings.enabled) {
    const bool takes_away = rule.starts_with('-');
    if (takes_away) rule.remove_prefix(1);
    if (rule == "exec" || rule == "base" || rule == "*") taken = takes_away;
  }
  return taken;
}

}  // namespace

Expected<std::string> settle_permission(Engines& engines, Session& session, PermissionQuestion& question) {
  PermissionRequest& request = question.request;
  Permissions& permissions = session.permissions();
  Decision decision = permissions.decide(request);
  const Decision::Verdict by_rules = decision.verdict;
  const bool hook_asks =
      decision.verdict != Decision::Verdict::kDeny && ask_hooks(engines, session, request, decision);
  if (decision.verdict == Decision::Verdict::kAllow) return decision.reason;
  if (decision.verdict == Decision::Verdict::kDeny) return fail(permission_denied(request, decision.reason));
  request.rules = permissions.suggest(request);
  if (!hook_asks) request.session_covers = permissions.session_covers(request);  // a hook asks every time
  request.workspace = engines.root.path();
  const auto nobody = [&](std::string_view obstacle = {}) {
    Error error = nobody_to_ask(request, decision.reason, obstacle);
    // What only a hook asks about, no mode and no rule would let pass.
    if (by_rules == Decision::Verdict::kAllow)
      error = permission_denied(request, text_in(error.details, "reason"));
    return fail(std::move(error));
  };
  if (session.approver() == nullptr || !session.approver()->can_ask(request)) return nobody();
  // What only a hook asks about may be anything; it is for the person to see first.
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
    engines.logger.warning("The person's yes holds for this call only",
                           {{"error", remembered.error().message}});
  return "the person agreed";
}

Expected<std::string> may_execute(const Context& context, const std::string& command,
                                  const std::string& directory, const std::string& why) {
  Session& session = context.session();
  PermissionRequest request{.call_id = context.call_id(),
                            .tool = "exec",
                            .effect = Effect::kExecute,
                            .arguments = JsonObject{{"command", command}, {"cwd", directory}},
                            .reason = why};
  if (exec_is_taken_away(context.engines().settings.tools))
    return fail(permission_denied(request, "the setting tools.enabled takes exec away"));
  PermissionQuestion question{.request = std::move(request),
                              .stop = context.stop_token(),
                              .publish = [&](ToolEvent::Kind kind, ToolEvent event) {
                                event.kind = kind;
                                event.call_id = context.call_id();
                                event.tool = "exec";
                                session.events().publish(std::move(event));
                              }};
  return settle_permission(context.engines(), session, question);
}

}  // namespace helve
