#include "policy/decide.h"

#include <algorithm>
#include <array>

#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "patch/patch_parse.h"
#include "policy/command_judge.h"
#include "policy/tool_names.h"
#include "workspace/path_check.h"

namespace helve::policy {
namespace {

std::string_view weight_name(Weight weight) {
  switch (weight) {
    case Weight::kGranted: return "allowed";
    case Weight::kDoubt:
    case Weight::kQuestion: return "asked";
    case Weight::kPossiblyForbidden: return "in doubt";
    case Weight::kForbidden: return "denied";
  }
  return "asked";
}

// Zero-width and bidirectional control characters, byte-order marks, tag characters and C1 controls.
bool is_invisible(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         c == 0xFEFF || c == 0xAD || (c >= 0xE0000 && c <= 0xE0FFF) || (c >= 0x80 && c <= 0x9F);
}

constexpr auto kWholeTrees = std::to_array<std::string_view>(
    {"grep", "find", "ls", "find_symbols", "code_query", "get_code_outline", "lsp_symbols"});

CallPaths paths_of_patch(const std::string& text) {
  const auto patch = patch::parse_patch(text);
  if (!patch) return {.complete = false};
  CallPaths found;
  for (const patch::FilePatch& file : patch->files)
    for (const std::string* path : {&file.old_path, &file.new_path})
      if (!path->empty() && std::ranges::find(found.paths, *path) == found.paths.end())
        found.paths.push_back(*path);
  return found;
}

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

// Applies the mode to the findings. `granted`: a rule or the mode allows every part of the call.
Ruling conclude(Mode mode, const RequestedCall& call, bool granted, Findings findings) {
  const Finding* heaviest = findings.heaviest();
  const auto by_mode = [&](Verdict verdict, std::string_view reason, const Finding* decisive = nullptr) {
    Ruling made = ruling(verdict, concat(named(mode), reason), decisive, findings);
    made.by_mode = true;
    return made;
  };
  const Weight weight = heaviest != nullptr ? heaviest->weight : kGranted;
  if (weight == kForbidden) return ruling(Verdict::kDeny, heaviest->reason, heaviest, findings);
  if (mode == Mode::kFull) {
    if (weight == kPossiblyForbidden)
      return ruling(Verdict::kDeny, concat(heaviest->reason, ", and ", named(mode), " never asks"), heaviest,
                    findings);
    return by_mode(Verdict::kAllow, " allows what no rule denies");
  }
  const bool harmless = is_harmless(call.effect);
  if (mode == Mode::kPlan && !harmless) return by_mode(Verdict::kDeny, " allows only reading");
  const bool asks = weight == kPossiblyForbidden || weight == kQuestion || (weight == kDoubt && !harmless);
  if (asks) {
    if (mode == Mode::kAuto)
      return by_mode(Verdict::kDeny, concat(" never asks, and ", heaviest->reason), heaviest);
    return ruling(Verdict::kAsk, heaviest->reason, heaviest, findings);
  }
  if (granted && heaviest != nullptr && !heaviest->rule.empty())
    return ruling(Verdict::kAllow, heaviest->reason, heaviest, findings);
  if (granted || harmless) return by_mode(Verdict::kAllow, concat(" allows ", name_of(call.effect)));
  if (mode == Mode::kAcceptEdits && call.effect == Effect::kWrite)
    return by_mode(Verdict::kAllow, " allows file changes");
  if (mode == Mode::kAuto)
    return by_mode(Verdict::kDeny, concat(" never asks, and no rule allows ", call.tool));
  return by_mode(Verdict::kAsk, concat(" asks before ", name_of(call.effect)));
}

// Matches a rule about a whole tool, or about one action of `process`.
Match match_tool(const Rule& rule, const RequestedCall& call) {
  if (!rule.spec || *rule.spec == "*") return Match::kYes;
  if (rule.kind == ToolKind::kProcess)
    return *rule.spec == text_in(call.arguments, "action") ? Match::kYes : Match::kNo;
  return Match::kMaybe;  // a spec for an unknown tool
}

// A restriction matches when it covers any of the files, an allow rule when it covers all of them.
Match match_paths(const Rule& rule, const CallPaths& called, const std::vector<Location>& locations,
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

Ruling decide_about_files(const RequestedCall& call, Mode mode, const RuleSet& rules,
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
    if (!rule.applies_to(call.tool)) continue;
    std::string which;
    const Match match = match_paths(rule, called, locations, which);
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

// Whether arguments of this name are paths, for tools whose arguments have no fixed meaning.
bool names_path(std::string_view name) {
  const std::string lower = to_lower(name);
  for (const std::string_view end :
       {"path", "paths", "file", "files", "filename", "dir", "directory", "folder"})
    if (lower.ends_with(end)) return true;
  return lower == "uri" || lower == "source" || lower == "destination" || lower == "target";
}

void collect_paths(const Json& value, bool is_path, int depth, std::vector<std::string>& paths) {
  constexpr int kDeepest = 6;
  constexpr std::string_view kFileUri = "file://";
  if (depth > kDeepest) return;
  if (value.is_string() && is_path && !value.as_string().empty()) {
    const std::string& text = value.as_string();
    paths.push_back(text.starts_with(kFileUri) ? text.substr(kFileUri.size()) : text);
  } else if (value.is_array()) {
    for (const Json& element : value.as_array()) collect_paths(element, is_path, depth + 1, paths);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.as_object())
      collect_paths(member, names_path(name), depth + 1, paths);
  }
}

// The files of a call of a tool that is not among the file tools: those that it declares, and its arguments
// that are paths.
CallPaths paths_of_other_call(const RequestedCall& call) {
  CallPaths called{.paths = call.files, .extent = PathSpec::Extent::kContents};
  collect_paths(call.arguments, false, 0, called.paths);
  return called;
}

// Rules that keep files from being read or changed hold for every tool.
bool guards_files(const Rule& rule, Effect effect) {
  return rule.restricts() && rule.path &&
         (rule.guards_reading() || (effect != Effect::kRead && rule.guards_writing()));
}

Ruling decide_about_tool(const RequestedCall& call, Mode mode, const RuleSet& rules,
                         const Surroundings& surroundings, Findings findings) {
  bool granted = false;
  CallPaths called;
  std::vector<Location> locations;
  if (std::ranges::any_of(rules, [](const Rule& rule) { return rule.path.has_value(); })) {
    called = paths_of_other_call(call);
    for (const std::string& path : called.paths) locations.push_back(locate(path, surroundings.workspace));
  }
  for (const Rule& rule : rules) {
    if (guards_files(rule, call.effect)) {
      std::string which;
      if (match_paths(rule, called, locations, which) == Match::kYes)
        findings.add_restriction(rule, Match::kYes, which, which);
      continue;
    }
    if (!rule.applies_to(call.tool)) continue;
    std::string which;
    const Match match = rule.path ? match_paths(rule, called, locations, which) : match_tool(rule, call);
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

std::string shown(std::string_view text) {
  const std::string plain = workspace::printable_path(text);
  std::string out;
  for (std::string_view rest = plain; !rest.empty();) {
    const std::size_t length = utf8_character_length(rest);
    const char32_t character = utf8_code_point(rest.substr(0, length));
    if (is_invisible(character)) {
      char digits[8];
      const auto end = std::to_chars(digits, digits + sizeof digits, std::uint32_t{character}, 16).ptr;
      out += concat("\\u{", std::string_view(digits, end), "}");
    } else {
      out += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  return out;
}

void Findings::add(Weight weight, std::string subject, std::string reason, const Rule* rule) {
  Finding finding{.weight = weight, .subject = std::move(subject), .reason = std::move(reason)};
  if (rule != nullptr) {
    finding.rule = rule->text();
    finding.origin = rule->origin;
  }
  all_.push_back(std::move(finding));
}

void Findings::add_restriction(const Rule& rule, Match match, std::string subject, std::string_view what) {
  if (match == Match::kNo) return;
  const bool denies = rule.verdict == Verdict::kDeny;
  if (match == Match::kYes)
    add(denies ? Weight::kForbidden : Weight::kQuestion, std::move(subject),
        concat(rule.describe(), " matches ", what), &rule);
  else
    add(denies ? Weight::kPossiblyForbidden : Weight::kQuestion, std::move(subject),
        concat(rule.describe(), " may match ", what), &rule);
}

const Finding* Findings::heaviest() const {
  const auto found = std::ranges::max_element(all_, {}, &Finding::weight);
  return found == all_.end() ? nullptr : &*found;
}

Json Ruling::to_json() const {
  JsonArray steps;
  for (const Finding& finding : findings) {
    JsonObject step{
        {"subject", finding.subject}, {"outcome", weight_name(finding.weight)}, {"reason", finding.reason}};
    if (!finding.rule.empty()) {
      step.append("rule", finding.rule);
      step.append("source", finding.origin.source);
      step.append("number", finding.origin.number);
    }
    steps.emplace_back(std::move(step));
  }
  JsonObject out{{"verdict", verdict_name(verdict)}, {"reason", reason}};
  if (!rule.empty()) {
    out.append("rule", rule);
    out.append("source", origin.source);
    out.append("number", origin.number);
  }
  out.append("steps", std::move(steps));
  return out;
}

std::string Ruling::to_text() const {
  std::string out = concat(verdict_name(verdict), ": ", reason, "\n");
  for (const Finding& finding : findings)
    out += concat("  ", finding.subject, "\n    ", weight_name(finding.weight), ": ", finding.reason, "\n");
  return out;
}

CallPaths paths_of_call(std::string_view tool, const Json& arguments) {
  const ToolKind kind = kind_of_tool(tool);
  if (kind != ToolKind::kReadsFiles && kind != ToolKind::kChangesFiles) return {};
  if (tool == "apply_patch") return paths_of_patch(text_in(arguments, "patch"));
  CallPaths found;
  const bool tree = std::ranges::find(kWholeTrees, tool) != kWholeTrees.end();
  // Reading a directory lists it, so rules about its contents apply too.
  if (tree || tool == "read") found.extent = PathSpec::Extent::kContents;
  if (std::string path = text_in(arguments, "path"); !path.empty())
    found.paths.push_back(std::move(path));
  else if (tree)
    found.paths.emplace_back(".");
  found.complete = !found.paths.empty() && tool != "rename_symbol";
  return found;
}

RequestedCall::RequestedCall(const PermissionRequest& request)
    : tool(request.server.empty() || request.tool.starts_with("mcp__")
               ? request.tool
               : concat("mcp__", request.server, "__", request.tool)),
      effect(request.effect),
      arguments(request.arguments),
      files(request.files) {}

Ruling decide(const RequestedCall& call, Mode mode, const RuleSet& rules, const Surroundings& surroundings) {
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand: {
      CommandJudge judge(rules, surroundings, mode);
      const bool granted = judge.judge({.text = text_in(call.arguments, "command"),
                                        .directory = text_in(call.arguments, "cwd"),
                                        .input = text_in(call.arguments, "stdin")});
      return conclude(mode, call, granted, judge.take_findings());
    }
    case ToolKind::kReadsFiles:
    case ToolKind::kChangesFiles: return decide_about_files(call, mode, rules, surroundings);
    case ToolKind::kProcess: {
      // Input to a running shell is checked against the restrictions like a command.
      CommandJudge judge(rules, surroundings, mode);
      if (text_in(call.arguments, "action") == "write") judge.check_input(text_in(call.arguments, "data"));
      return decide_about_tool(call, mode, rules, surroundings, judge.take_findings());
    }
    case ToolKind::kMcp:
    case ToolKind::kOther: return decide_about_tool(call, mode, rules, surroundings, {});
  }
  return {};
}

}  // namespace helve::policy
