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
      session.state().hooks.run(engines, session, policy::Hook::Moment::kBefore, request,
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

Expected<std::optional<std::string>> PermissionQuestion::decide() {
  PermissionRequest& request = parts_.request;
  Permissions& permissions = session_.permissions();
  decision_ = permissions.decide(request);
  if (!parts_.must_ask.empty() && decision_.verdict == Decision::Verdict::kAllow &&
      session_.mode() != Mode::kFull)
    decision_ = {session_.mode() == Mode::kAuto ? Decision::Verdict::kDeny : Decision::Verdict::kAsk,
                 parts_.must_ask};
  const Decision::Verdict by_rules = decision_.verdict;
  allowed_by_rules_ = by_rules == Decision::Verdict::kAllow;
  hook_asks_ = by_rules != Decision::Verdict::kDeny && ask_hooks(engines_, session_, request, decision_);
  if (decision_.verdict == Decision::Verdict::kAllow) return decision_.reason;
  if (decision_.verdict == Decision::Verdict::kDeny) return fail(permission_denied(request, decision_));
  request.rules = permissions.suggest(request);
  if (!hook_asks_) request.session_covers = permissions.session_covers(request);  // a hook asks every time
  request.workspace = engines_.root.path();
  if (session_.approver() == nullptr || !session_.approver()->can_ask(request)) return fail(nobody());
  asked_together_ = session_.approver()->asks_together();
  // A hook's question may be about anything, so the user sees it before anything is tried.
  if (parts_.look_ahead && by_rules == Decision::Verdict::kAsk && !hook_asks_)
    if (auto looked = parts_.look_ahead(request); !looked) return fail(std::move(looked).error());
  request.reason = request.reason.empty() ? decision_.reason : concat(request.reason, "; ", decision_.reason);
  return std::nullopt;
}

Error PermissionQuestion::nobody(std::string_view obstacle) const {
  Error error = nobody_to_ask(parts_.request, decision_, obstacle);
  // No mode and no rule can answer a hook's question.
  if (allowed_by_rules_)
    error = permission_denied(parts_.request,
                              {.verdict = decision_.verdict, .reason = text_in(error.details, "reason")});
  return error;
}

void PermissionQuestion::announce(std::size_t index, std::size_t count) {
  parts_.request.batch_index = index;
  parts_.request.batch_count = count;
  parts_.publish(ToolEvent::Kind::kPermissionRequired,
                 {.permission_request = permission_request_json(parts_.request)});
}

Expected<std::string> PermissionQuestion::ask(const std::stop_token& withdrawn) {
  const PermissionRequest& request = parts_.request;
  std::stop_source either;
  const auto forward = [&] { either.request_stop(); };
  const std::stop_callback on_stop(parts_.stop, forward);
  const std::stop_callback on_withdrawal(withdrawn, forward);
  const Approval approval = session_.approver()->ask(request, either.get_token());
  if (!approval.granted && parts_.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before it was allowed.");
  if (!approval.granted && !approval.asked && withdrawn.stop_requested())
    if (auto reason = take_cover()) return *std::move(reason);
  parts_.publish(approval.granted ? ToolEvent::Kind::kPermissionGranted : ToolEvent::Kind::kPermissionDenied,
                 {});
  if (!approval.granted && !approval.asked) return fail(nobody(approval.reason));
  if (!approval.granted) return fail(user_denied(request, approval));
  covers_others_ = approval.scope != ApprovalScope::kOnce;
  if (auto remembered = session_.permissions().remember(request, approval.scope); !remembered)
    engines_.logger.warning("The approval could not be saved and holds for this call only",
                            {{"error", remembered.error().message}});
  return approval.by.empty() ? "the user approved it" : concat("the user approved it in ", approval.by);
}

std::optional<std::string> PermissionQuestion::covered() const {
  if (hook_asks_ || !parts_.must_ask.empty()) return {};
  Decision decision = session_.permissions().decide(parts_.request);
  if (decision.verdict != Decision::Verdict::kAllow) return {};
  return std::move(decision.reason);
}

std::optional<std::string> PermissionQuestion::take_cover() {
  auto reason = covered();
  if (reason) parts_.publish(ToolEvent::Kind::kPermissionGranted, {});
  return reason;
}

Expected<std::string> settle_within_call(const Context& context, PermissionRequest request,
                                         std::string must_ask) {
  Session& session = context.session();
  PermissionQuestion question(context.engines(), session,
                              {.request = request,
                               .stop = context.stop_token(),
                               .must_ask = std::move(must_ask),
                               .publish = [&](ToolEvent::Kind kind, ToolEvent event) {
                                 event.kind = kind;
                                 event.call_id = request.call_id;
                                 event.tool = request.tool;
                                 event.server = request.server;
                                 session.events().publish(std::move(event));
                               }});
  auto decided = question.decide();
  if (!decided) return fail(std::move(decided).error());
  if (*decided) return **std::move(decided);
  question.announce(1, 1);
  return question.ask();
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
