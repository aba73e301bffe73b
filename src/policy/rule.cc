#include "policy/rule.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::policy {
namespace {

constexpr auto kProcessActions =
    std::to_array<std::string_view>({"list", "poll", "log", "write", "wait", "kill", "clear", "remove"});

std::unexpected<Error> bad_rule(std::string_view text, const Origin& origin, std::string_view problem,
                                std::string hint) {
  const std::string where =
      origin.number == 0 ? origin.source : concat(origin.source, ", rule ", origin.number);
  return fail(ErrorCode::kInvalidArgument, concat("The rule \"", text, "\" (", where, "): ", problem),
              std::move(hint));
}

Expected<void> check_name(std::string_view text, std::string_view name, const Origin& origin) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
  });
  if (plain && (name.find('*') == std::string_view::npos || name.starts_with("mcp__"))) return {};
  return bad_rule(text, origin,
                  name.empty() ? "the tool name is missing." : concat("\"", name, "\" is not a tool name."),
                  "Write Tool or Tool(spec), for instance exec(git diff:*) or read(./secrets/**).");
}

Expected<void> check_mcp(std::string_view text, const Rule& rule) {
  const McpName name = split_mcp_name(rule.tool);
  if (rule.spec)
    return bad_rule(text, rule.origin, "rules for MCP tools cannot have a spec.", "Remove the parentheses.");
  if (name.server.empty() || name.server.find('*') != std::string_view::npos ||
      name.tool.find('*') != std::string_view::npos)
    return bad_rule(text, rule.origin, "* can only stand for all tools of one server.",
                    "Write mcp__server, mcp__server__* or mcp__server__tool.");
  return {};
}

Expected<void> compile_spec(std::string_view text, Rule& rule, const RuleContext& context) {
  if (rule.kind == ToolKind::kMcp) return check_mcp(text, rule);
  if (!rule.spec) return {};
  const auto named = [&](const Error& error) {
    return bad_rule(text, rule.origin, concat(error.message, "."), error.hint);
  };
  if (rule.kind == ToolKind::kCommand) {
    auto spec = CommandSpec::compile(*rule.spec);
    if (!spec) return named(spec.error());
    rule.command = std::move(*spec);
  } else if (rule.kind == ToolKind::kReadsFiles || rule.kind == ToolKind::kChangesFiles) {
    const auto purpose = rule.restricts() ? PathSpec::Purpose::kRestrict : PathSpec::Purpose::kGrant;
    auto spec = PathSpec::compile(*rule.spec, context.surroundings, purpose);
    if (!spec) return named(spec.error());
    rule.path = std::move(*spec);
  } else if (rule.kind == ToolKind::kOther && *rule.spec != "*") {
    // A tool that is not built in: the spec is about the files that its calls name.
    const auto purpose = rule.restricts() ? PathSpec::Purpose::kRestrict : PathSpec::Purpose::kGrant;
    if (auto spec = PathSpec::compile(*rule.spec, context.surroundings, purpose))
      rule.path = std::move(*spec);
  } else if (rule.kind == ToolKind::kProcess) {
    if (std::ranges::find(kProcessActions, *rule.spec) == kProcessActions.end() && *rule.spec != "*") {
      std::vector<std::string> actions(kProcessActions.begin(), kProcessActions.end());
      const auto near = nearest(*rule.spec, actions);
      return bad_rule(text, rule.origin, concat("process has no action \"", *rule.spec, "\"."),
                      near.empty() ? concat("Its actions are ", enumerate(actions), ".")
                                   : concat("Did you mean process(", near.front(), ")?"));
    }
  }
  return {};
}

bool is_file_tool(ToolKind kind) { return kind == ToolKind::kReadsFiles || kind == ToolKind::kChangesFiles; }

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow: return "allow";
    case Verdict::kAsk: return "ask";
    case Verdict::kDeny: return "deny";
  }
  return "ask";
}

std::string Rule::text() const { return spec ? concat(tool, "(", *spec, ")") : tool; }

std::string Rule::describe() const {
  std::string where = origin.source;
  if (origin.number != 0)
    where += concat(where.empty() ? "" : ", ", verdict_name(verdict), " ", origin.number);
  return concat("the rule ", verdict_name(verdict), " ", text(),
                where.empty() ? "" : concat(" (", where, ")"));
}

bool Rule::applies_to(std::string_view called_tool) const {
  if (tool == called_tool) return true;
  if (kind == ToolKind::kMcp) {
    const McpName ours = split_mcp_name(tool);
    return ours.tool.empty() && ours.server == split_mcp_name(called_tool).server;
  }
  const ToolKind called = kind_of_tool(called_tool);
  if (!is_file_tool(kind) || !is_file_tool(called)) return false;
  const bool guards_path = restricts() && path;
  if (tool == "read") return called == ToolKind::kReadsFiles || guards_path;
  if (kind != ToolKind::kChangesFiles || called != ToolKind::kChangesFiles) return false;
  if (of_skill) return tool == "edit" && called_tool == "multi_edit";
  return tool == "edit" || guards_path;
}

bool Rule::guards_writing() const { return kind == ToolKind::kChangesFiles && (path || tool == "edit"); }

bool Rule::guards_reading() const { return tool == "read"; }

Expected<Rule> parse_rule(std::string_view text, Verdict verdict, Origin origin, const RuleContext& context) {
  const std::string_view trimmed = trim(text);
  Rule rule;
  rule.verdict = verdict;
  rule.origin = std::move(origin);
  const std::size_t bracket = trimmed.find('(');
  const std::string_view name = trim(trimmed.substr(0, bracket));
  if (bracket != std::string_view::npos) {
    if (!trimmed.ends_with(')'))
      return bad_rule(text, rule.origin, "the rule does not end with a closing parenthesis.",
                      "Write Tool(spec) with nothing after it.");
    rule.spec = std::string(trimmed.substr(bracket + 1, trimmed.size() - bracket - 2));
  }
  if (auto checked = check_name(text, name, rule.origin); !checked) return fail(checked.error());
  NamedTool named = look_up_tool(name, context.more_tools);
  rule.tool = std::move(named.canonical);
  rule.known_tool = named.known;
  rule.suggested_tool = std::move(named.suggestion);
  rule.kind = kind_of_tool(rule.tool);
  if (auto compiled = compile_spec(text, rule, context); !compiled) return fail(compiled.error());
  return rule;
}

bool covers_all_of(const Rule& wide, const Rule& narrow) {
  const bool same_tools = wide.applies_to(narrow.tool) && (narrow.tool != "edit" || wide.tool != "write");
  if (!same_tools) return false;
  if (!wide.spec) return true;
  if (!narrow.spec) return *wide.spec == "*" || *wide.spec == "**";
  if (wide.command && narrow.command) return wide.command->is_as_wide_as(*narrow.command);
  if (wide.path && narrow.path) return wide.path->is_as_wide_as(*narrow.path);
  return wide.tool == narrow.tool && (*wide.spec == *narrow.spec || *wide.spec == "*");
}

}  // namespace helve::policy
