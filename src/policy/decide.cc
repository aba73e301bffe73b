#include "policy/decide.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "patch/patch_parse.h"
#include "policy/argument_paths.h"
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

// The files of a call of a tool that is not among the file tools: those that it declares, and its arguments
// that are paths or may be some.
struct OtherCall {
  CallPaths declared = {.extent = PathSpec::Extent::kContents};  // and named as paths
  std::vector<Location> locations = {};                          // of these
  std::vector<ArgumentPath> others = {};                         // may be paths
  std::vector<Location> other_locations = {};
  bool complete = true;  // false: it has more words than can be checked
};

// The arguments of these built-in tools are text, apart from those that are named as paths.
bool takes_text(const RequestedCall& call) {
  return kind_of_tool(call.tool) == ToolKind::kProcess ||
         (kind_of_tool(call.tool) == ToolKind::kOther && look_up_tool(call.tool).known);
}

Location locate_argument(const std::string& path, const Surroundings& surroundings) {
  const bool home = path == "~" || path.starts_with("~/");
  return locate(home && !surroundings.home.empty() ? concat(surroundings.home, path.substr(1)) : path,
                surroundings.workspace);
}

OtherCall paths_of_other_call(const RequestedCall& call, const RuleSet& rules,
                              const Surroundings& surroundings) {
  OtherCall other;
  other.declared.paths = call.files;
  const bool text =
      takes_text(call) || std::ranges::none_of(rules, [](const Rule& rule) { return rule.path.has_value(); });
  ArgumentPaths found = paths_in_arguments(call.arguments);
  other.complete = found.complete || text;
  for (ArgumentPath& argument : found.paths) {
    if (argument.form == ArgumentPath::Form::kNamed) {
      other.declared.paths.push_back(std::move(argument.path));
    } else if (!text) {
      other.other_locations.push_back(locate_argument(argument.path, surroundings));
      other.others.push_back(std::move(argument));
    }
  }
  for (const std::string& path : other.declared.paths)
    other.locations.push_back(locate_argument(path, surroundings));
  return other;
}

// A restriction may match when a string names a file that exists and that it covers; a whole string with a
// slash does match.
Match match_others(const Rule& rule, const OtherCall& call, std::string& which) {
  using Extent = PathSpec::Extent;
  Match match = call.complete ? Match::kNo : Match::kMaybe;
  if (!call.complete) which = "a word of its arguments, which are too many";
  for (std::size_t i = 0; i < call.others.size() && match != Match::kYes; ++i) {
    const ArgumentPath& other = call.others[i];
    const Location& location = call.other_locations[i];
    const bool slash = other.path.contains('/');
    const bool word = other.form == ArgumentPath::Form::kWord;
    // In a text, the name of a directory is mostly an ordinary word.
    if (!rule.path->covers(location, word && !slash ? Extent::kItself : Extent::kContents)) continue;
    const bool path = slash && !other.path.contains(' ');
    if (!path && ::access(location.real.c_str(), F_OK) != 0) continue;
    match = path ? Match::kYes : Match::kMaybe;
    which = shown(other.path);
  }
  return match;
}

// How a rule with a path matches the call. An allow rule covers all that is or looks like a path.
Match match_other(const Rule& rule, const OtherCall& call, std::string& which) {
  const Match declared = match_paths(rule, call.declared, call.locations, which);
  if (rule.restricts()) return declared == Match::kYes ? declared : match_others(rule, call, which);
  for (std::size_t i = 0; i < call.others.size(); ++i)
    if (call.others[i].form == ArgumentPath::Form::kWhole && call.others[i].path.contains('/') &&
        !rule.path->covers(call.other_locations[i], PathSpec::Extent::kItself))
      return Match::kNo;
  return declared;
}

// A rule about all tools that read or change files: `deny edit`. The effect tells what a tool is that is not
// built in.
bool restricts_kind(const Rule& rule, const RequestedCall& call) {
  if (!rule.restricts() || rule.spec || takes_text(call)) return false;
  return (rule.tool == "edit" && call.effect == Effect::kWrite) ||
         (rule.tool == "read" && call.effect == Effect::kRead && kind_of_tool(call.tool) == ToolKind::kOther);
}

// Rules that keep files from being read or changed hold for every tool.
bool guards_files(const Rule& rule, Effect effect) {
  return rule.restricts() && rule.path &&
         (rule.guards_reading() || (effect != Effect::kRead && rule.guards_writing()));
}

Ruling decide_about_tool(const RequestedCall& call, Mode mode, const RuleSet& rules,
                         const Surroundings& surroundings, Findings findings) {
  bool granted = false;
  const bool changes = !is_harmless(call.effect);
  const OtherCall other = paths_of_other_call(call, rules, surroundings);
  for (std::size_t i = 0; changes && i < other.locations.size(); ++i)
    if (WriteProtection protection = write_protection(other.locations[i], surroundings); protection.own)
      findings.add(kForbidden, shown(other.declared.paths[i]), std::move(protection.reason));
  for (const Rule& rule : rules) {
    if (guards_files(rule, call.effect)) {
      std::string which;
      const Match match = match_other(rule, other, which);
      findings.add_restriction(rule, match, which, which);
      continue;
    }
    if (restricts_kind(rule, call)) findings.add_restriction(rule, Match::kYes, call.tool, call.tool);
    if (!rule.applies_to(call.tool)) continue;
    std::string which;
    const Match match = rule.path ? match_other(rule, other, which) : match_tool(rule, call);
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
