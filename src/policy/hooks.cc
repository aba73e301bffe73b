#include "policy/hooks.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "search/glob.h"

namespace helve::policy {
namespace {

using Kind = HookOutcome::Kind;

constexpr std::size_t kLongestReason = 4000;

std::string readable(std::string_view text) { return shortened(to_valid_utf8(trim(text)), kLongestReason); }

HookOutcome failure(const Hook& hook, const std::string& problem) {
  std::string warning = concat("The hook ", shown(hook.command), " failed: ", problem);
  const bool blocks = hook.on_failure == Hook::OnFailure::kBlock && hook.moment == Hook::Moment::kBefore;
  return {.kind = blocks ? Kind::kBlock : Kind::kGoOn,
          .reason = blocks ? concat("a hook failed: ", problem) : std::string(),
          .warning = std::move(warning)};
}

HookOutcome read_answer(const Hook& hook, const std::string& output) {
  if (!trim(output).starts_with('{')) return {};
  const auto answer = parse_json(output);
  if (!answer) return failure(hook, concat("its output is not valid JSON: ", answer.error().message));
  HookOutcome outcome;
  for (const auto& [name, value] : answer->as_object()) {
    if (name != "decision" && name != "reason") {
      outcome.warning =
          concat("The output of the hook ", shown(hook.command), " has an unknown member ", shown(name));
      continue;
    }
    if (!value.is_string()) return failure(hook, concat("`", name, "` in its output is not a string"));
    const std::string& text = value.as_string();
    if (name == "reason")
      outcome.reason = readable(text);
    else if (text == "allow" || text == "approve")
      outcome.kind = Kind::kAllow;
    else if (text == "ask")
      outcome.kind = Kind::kAsk;
    else if (text == "deny" || text == "block")
      outcome.kind = Kind::kBlock;
    else
      return failure(hook, concat("its decision is \"", shown(text), "\", not allow, ask or deny"));
  }
  if (outcome.kind == Kind::kBlock && outcome.reason.empty())
    outcome.reason = "a hook blocked it without a reason";
  return outcome;
}

}  // namespace

Expected<HookMatcher> HookMatcher::parse(std::string_view text) {
  HookMatcher matcher;
  if (trim(text).empty() || trim(text) == "*") return matcher;
  for (const std::string_view piece : split(text, '|')) {
    const std::string_view name = trim(piece);
    if (name.empty())
      return fail(ErrorCode::kInvalidArgument, concat("The matcher \"", text, "\" contains an empty name"),
                  "Write tool names joined by |, for instance exec|write.");
    if (auto glob = search::Glob::compile(name); !glob) return fail(glob.error());
    matcher.names_.push_back(look_up_tool(name).canonical);
    // Claude Code's Edit means all tools that change files.
    if (name == "Edit") matcher.names_.insert(matcher.names_.end(), {"multi_edit", "write", "apply_patch"});
  }
  return matcher;
}

bool HookMatcher::matches(std::string_view tool) const {
  return names_.empty() || std::ranges::any_of(names_, [&](const std::string& name) {
           const auto glob = search::Glob::compile(name);
           return glob && glob->matches(tool);
         });
}

Json hook_input(Hook::Moment moment, const RequestedCall& call, const HookSubject& subject) {
  const bool before = moment == Hook::Moment::kBefore;
  JsonObject input{{"event", before ? "before" : "after"},
                   {"sessionId", subject.session_id},
                   {"callId", subject.call_id},
                   {"workspace", subject.workspace},
                   {"tool", call.tool},
                   {"effect", name_of(call.effect)},
                   {"arguments", call.arguments},
                   {"explanation", subject.explanation}};
  if (!before) {
    const Json* ok = subject.result.find("ok");
    input.append("ok", ok != nullptr ? *ok : Json());
    input.append("result", subject.result);
  }
  return input;
}

HookOutcome read_outcome(const Hook& hook, const HookRun& run) {
  if (!run.problem.empty()) return failure(hook, run.problem);
  if (run.exit_code == 0) return read_answer(hook, run.output);
  const std::string said = readable(run.errors);
  if (run.exit_code == kHookBlocks)
    return {.kind = Kind::kBlock, .reason = said.empty() ? "a hook blocked it without a reason" : said};
  return failure(hook, concat("exit code ", run.exit_code, said.empty() ? "" : concat(": ", said)));
}

HookOutcome run_hooks(std::span<const Hook> hooks, Hook::Moment moment, const RequestedCall& call,
                      const HookSubject& subject, const HookRunner& runner) {
  HookOutcome all;
  std::string input;
  for (const Hook& hook : hooks) {
    if (hook.moment != moment || !hook.matcher.matches(call.tool)) continue;
    if (input.empty()) input = to_text(hook_input(moment, call, subject)) + "\n";
    HookOutcome outcome = read_outcome(hook, runner(hook, input));
    if (!outcome.warning.empty()) all.warning += concat(all.warning.empty() ? "" : "; ", outcome.warning);
    if (outcome.kind > all.kind) {
      all.kind = outcome.kind;
      all.reason = std::move(outcome.reason);
    }
    if (all.kind == Kind::kBlock) break;
  }
  return all;
}

}  // namespace helve::policy
