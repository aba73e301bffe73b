#include "policy/decide.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "policy/call_paths.h"
#include "policy/command_judge.h"

namespace helve::policy {
namespace {

using enum Weight;

bool is_harmless(Effect effect) { return effect == Effect::kRead || effect == Effect::kAsk; }

std::string named(Mode mode) { return concat("mode ", name_of(mode)); }

Ruling ruling(Verdict verdict, std::string reason, const Finding* decisive, Findings& findings) {
  Ruling made{.verdict = verdict, .reason = std::move(reason)};
  if (decisive != nullptr) {
    made.rule = decisive->rule;
    made.origin = decisive->origin;
  }
  made.findings = findings.take();
  return made;
}

// What the mode makes of the findings. `granted`: every part of the call has something that allows it.
Ruling conclude(Mode mode, const Call& call, bool granted, Findings findings) {
  const Finding* heaviest = findings.heaviest();
  const Weight weight = heaviest != nullptr ? heaviest->weight : kGranted;
  if (weight == kForbidden) return ruling(Verdict::kDeny, heaviest->reason, heaviest, findings);
  if (mode == Mode::kFull) {
    if (weight == kPossiblyForbidden)
      return ruling(Verdict::kDeny, concat(heaviest->reason, ", and ", named(mode), " asks nobody"), heaviest,
                    findings);
    return ruling(Verdict::kAllow, concat(named(mode), " allows what no rule denies"), nullptr, findings);
  }
  const bool harmless = is_harmless(call.effect);
  if (mode == Mode::kPlan && !harmless)
    return ruling(Verdict::kDeny, concat(named(mode), " allows only reading"), nullptr, findings);
  const bool asks = weight == kPossiblyForbidden || weight == kQuestion || (weight == kDoubt && !harmless);
  if (asks) {
    if (mode == Mode::kAuto)
      return ruling(Verdict::kDeny, concat(named(mode), " asks nobody, and ", heaviest->reason), heaviest,
                    findings);
    return ruling(Verdict::kAsk, heaviest->reason, heaviest, findings);
  }
  if (granted && heaviest != nullptr && !heaviest->rule.empty())
    return ruling(Verdict::kAllow, heaviest->reason, heaviest, findings);
  if (granted || harmless)
    return ruling(Verdict::kAllow, concat(named(mode), " allows ", name_of(call.effect)), nullptr, findings);
  if (mode == Mode::kAcceptEdits && call.effect == Effect::kWrite)
    return ruling(Verdict::kAllow, concat(named(mode), " allows file changes"), nullptr, findings);
  if (mode == Mode::kAuto)
    return ruling(Verdict::kDeny, concat(named(mode), " asks nobody, and no rule allows ", call.tool),
                  nullptr, findings);
  return ruling(Verdict::kAsk, concat(named(mode), " asks before ", name_of(call.effect)), nullptr, findings);
}

// Whether a rule about a whole tool, or about one action of `process`, fits.
Match fits_tool(const Rule& rule, const Call& call) {
  if (!rule.spec || *rule.spec == "*") return Match::kYes;
  if (rule.kind == ToolKind::kProcess)
    return *rule.spec == text_in(call.arguments, "action") ? Match::kYes : Match::kNo;
  return Match::kMaybe;  // a spec for a tool about which nothing is known
}

// A restriction fits when it covers one of the files, an allow rule when it covers all.
Match fits_paths(const Rule& rule, const CallPaths& called, const std::vector<Location>& locations,
                 std::string& which) {
  if (!rule.path) return Match::kYes;
  std::size_t covered = 0;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    if (!rule.path->covers(locations[i], called.extent)) continue;
    ++covered;
    if (which.empty()) which = shown(called.paths[i]);
  }
  if (rule.restricts()) return covered > 0 ? Match::kYes : Match::kNo;
  return covered == locations.size() && covered > 0 && called.complete ? Match::kYes : Match::kNo;
}

Ruling decide_about_files(const Call& call, Mode mode, const RuleSet& rules,
                          const Surroundings& surroundings) {
  const CallPaths called = paths_of_call(call.tool, call.arguments);
  std::vector<Location> locations;
  for (const std::string& path : called.paths) locations.push_back(locate(path, surroundings.workspace));
  Findings findings;
  if (call.effect == Effect::kWrite)
    for (std::size_t i = 0; i < locations.size(); ++i)
      if (WriteProtection protection = write_protection(locations[i], surroundings); protection.own)
        findings.add(kForbidden, shown(called.paths[i]), std::move(protection.reason));
  bool granted = false;
  for (const Rule& rule : rules) {
    if (!rule.speaks_of(call.tool)) continue;
    std::string which;
    const Match match = fits_paths(rule, called, locations, which);
    const std::string subject = which.empty() ? call.tool : which;
    if (rule.restricts()) {
      findings.add_restriction(rule, match, subject, subject);
    } else if (match == Match::kYes) {
      findings.add(kGranted, subject, concat(rule.describe(), " allows ", subject), &rule);
      granted = true;
    }
  }
  return conclude(mode, call, granted, std::move(findings));
}

Ruling decide_about_tool(const Call& call, Mode mode, const RuleSet& rules, Findings findings) {
  bool granted = false;
  for (const Rule& rule : rules) {
    if (!rule.speaks_of(call.tool)) continue;
    const Match match = fits_tool(rule, call);
    if (rule.restricts()) {
      findings.add_restriction(rule, match, call.tool, call.tool);
    } else if (match == Match::kYes) {
      findings.add(kGranted, call.tool, concat(rule.describe(), " allows ", call.tool), &rule);
      granted = true;
    }
  }
  return conclude(mode, call, granted, std::move(findings));
}

}  // namespace

Call to_call(const PermissionRequest& request) {
  Call call{.tool = request.tool,
            .server = request.server,
            .effect = request.effect,
            .arguments = request.arguments};
  if (!call.server.empty() && !call.tool.starts_with("mcp__"))
    call.tool = concat("mcp__", call.server, "__", call.tool);
  return call;
}

Ruling decide(const Call& call, Mode mode, const RuleSet& rules, const Surroundings& surroundings) {
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand: {
      CommandJudge judge(rules, surroundings, mode);
      const bool granted = judge.judge({.text = text_in(call.arguments, "command"),
                                        .directory = text_in(call.arguments, "cwd"),
                                        .has_input = !text_in(call.arguments, "stdin").empty()});
      return conclude(mode, call, granted, judge.take_findings());
    }
    case ToolKind::kReadsFiles:
    case ToolKind::kChangesFiles: return decide_about_files(call, mode, rules, surroundings);
    case ToolKind::kProcess: {
      // What is typed into a running shell is held against the restrictions like a command of its own.
      CommandJudge judge(rules, surroundings, mode);
      if (text_in(call.arguments, "action") == "write")
        judge.look_for_forbidden(text_in(call.arguments, "data"));
      return decide_about_tool(call, mode, rules, judge.take_findings());
    }
    case ToolKind::kMcp:
    case ToolKind::kOther: return decide_about_tool(call, mode, rules, {});
  }
  return {};
}

}  // namespace helve::policy
