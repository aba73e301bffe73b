// One permission rule: a verdict on a tool, or on those of its calls that a spec describes.
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

// Where a rule was written.
struct Origin {
  std::string source = {};  // a file, or "user", "session", …
  std::size_t number = 0;   // which rule of its list, from 1; 0: not from a list
  bool operator==(const Origin&) const = default;
};

// A value; may be used from all threads.
struct Rule {
  Verdict verdict = Verdict::kAsk;
  std::string tool = {};  // canonical, or mcp__server, or as written when unknown
  ToolKind kind = ToolKind::kOther;
  std::optional<std::string> spec = {};  // nothing: every call of the tool
  Origin origin = {};
  bool known_tool = true;
  std::string meant_tool = {};  // the nearest name when it is not known
  std::vector<std::string> examples = {};
  std::vector<std::string> not_examples = {};
  std::optional<CommandSpec> command = {};  // of exec
  std::optional<PathSpec> path = {};        // of tools that work on files

  [[nodiscard]] std::string text() const;  // exec(git diff:*)
  // "the rule deny exec(rm:*) (settings.toml, deny 2)"
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] bool restricts() const { return verdict != Verdict::kAllow; }

  // Whether the rule speaks of this tool at all; its spec may still leave the call alone.
  //   read         all tools that read files; denying or asking with a path: also those that change them,
  //   because
  //                their answers show what was there
  //   edit         all tools that change files
  //   write, …     itself; denying or asking with a path: all tools that change files
  //   mcp__server  all tools of the server
  [[nodiscard]] bool speaks_of(std::string_view called_tool) const;
  // Whether a path that a command writes, or reads, falls under the rule.
  [[nodiscard]] bool guards_writing() const;
  [[nodiscard]] bool guards_reading() const;
};

struct RuleContext {
  const Surroundings& surroundings;
  std::span<const std::string> more_tools = {};
};

// `Tool` or `Tool(spec)`, with our names or Claude Code's. INVALID_ARGUMENT says what is wrong with it. A
// name that nobody knows is no error here: the rule says so in known_tool.
[[nodiscard]] Expected<Rule> parse_rule(std::string_view text, Verdict verdict, Origin origin,
                                        const RuleContext& context);

// True when every call that `narrow` fits is fitted by `wide` too, as far as the texts tell.
[[nodiscard]] bool covers_all_of(const Rule& wide, const Rule& narrow);

}  // namespace helve::policy
