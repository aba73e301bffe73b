// One permission rule: a verdict on all calls of a tool, or on the calls that match a spec.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/permissions.h"
#include "policy/command_spec.h"
#include "policy/path_spec.h"
#include "policy/tool_names.h"

namespace helve::policy {

using Verdict = Decision::Verdict;

[[nodiscard]] std::string_view verdict_name(Verdict verdict);  // "allow", "ask", "deny"

// Where a rule comes from.
struct Origin {
  std::string source = {};  // a file, or "user", "session", …
  std::size_t number = 0;   // position in its list, from 1; 0: not from a list
  bool operator==(const Origin&) const = default;
};

struct Rule {
  Verdict verdict = Verdict::kAsk;
  std::string tool = {};  // canonical, or mcp__server, or as written when unknown
  ToolKind kind = ToolKind::kOther;
  std::optional<std::string> spec = {};  // none: every call of the tool
  Origin origin = {};
  bool known_tool = true;
  std::string suggested_tool = {};  // the nearest known name when the tool is unknown
  // The rule of a skill: edit then means edit and multi_edit, not every tool that changes files.
  bool of_skill = false;
  std::vector<std::string> examples = {};
  std::vector<std::string> not_examples = {};
  std::optional<CommandSpec> command = {};  // the parsed spec of exec
  std::optional<PathSpec> path = {};        // the parsed spec of a file tool

  [[nodiscard]] std::string text() const;  // exec(git diff:*)
  // "the rule deny exec(rm:*) (settings.toml, deny 2)"
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] bool restricts() const { return verdict != Verdict::kAllow; }

  // Whether the rule is about this tool; its spec may still not match the call.
  //   read         all tools that read files; a deny or ask rule with a path also applies to tools that
  //                change files, because their results show the old content
  //   edit         all tools that change files; in a rule of a skill, edit and multi_edit
  //   write, …     itself; a deny or ask rule with a path applies to all tools that change files
  //   mcp__server  all tools of the server
  [[nodiscard]] bool applies_to(std::string_view called_tool) const;
  // Whether the rule also applies to paths that a command writes, or reads.
  [[nodiscard]] bool guards_writing() const;
  [[nodiscard]] bool guards_reading() const;
};

struct RuleContext {
  const Surroundings& surroundings;
  std::span<const std::string> more_tools = {};
};

// Parses `Tool` or `Tool(spec)`, with Helve's or Claude Code's tool names. INVALID_ARGUMENT says what is
// wrong with it. An unknown tool is not an error here; it clears known_tool.
[[nodiscard]] Expected<Rule> parse_rule(std::string_view text, Verdict verdict, Origin origin,
                                        const RuleContext& context);

// True when `wide` certainly matches every call that `narrow` matches, judging by their texts.
[[nodiscard]] bool covers_all_of(const Rule& wide, const Rule& narrow);

}  // namespace helve::policy
