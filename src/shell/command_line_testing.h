// Table rows for tests of command lines: a line, the commands it runs, and why it may run others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "shell/command_line.h"

namespace helve::shell {

struct CommandLineRow {
  std::string_view line;
  std::vector<std::string> commands = {};  // as `shown`
  std::string_view unknown = {};           // a part of a reason; empty: `commands` is complete
};

inline std::string shown(const Word& word) {
  const bool plain = !word.text.empty() && word.text.find_first_of(" '\"$`*\n") == std::string::npos;
  if (!word.literal) return concat("~", word.text);
  return plain ? word.text : concat("<", word.text, ">");
}

// wrapper> NAME=value program argument ~expansion >file
inline std::string shown(const SimpleCommand& command) {
  using Kind = Redirection::Kind;
  std::vector<std::string> parts;
  for (const std::string& wrapper : command.wrappers) parts.push_back(concat(wrapper, ">"));
  for (const Assignment& assignment : command.assignments)
    parts.push_back(concat(assignment.name, "=", shown(assignment.value)));
  for (const Word& word : command.words) parts.push_back(shown(word));
  for (const Redirection& redirection : command.redirections) {
    constexpr std::string_view kSigns[] = {"<", ">", ">>", "<>", ">&", "<<", "<<<"};
    const std::string descriptor = redirection.descriptor == -2   ? "&"
                                   : redirection.descriptor == -1 ? ""
                                                                  : concat(redirection.descriptor);
    static_assert(static_cast<int>(Kind::kHereString) == 6);
    parts.push_back(
        concat(descriptor, kSigns[static_cast<std::size_t>(redirection.kind)], shown(redirection.target)));
  }
  if (command.open_ended) parts.emplace_back("…");
  return join(parts, " ");
}

inline std::vector<std::string> shown(const CommandLine& line) {
  std::vector<std::string> commands;
  for (const SimpleCommand& command : line.commands) commands.push_back(shown(command));
  return commands;
}

// Describes the difference; empty when the row matches.
inline std::string difference(const CommandLineRow& row, Dialect dialect = Dialect::kBash) {
  const CommandLine line = parse_command_line(row.line, dialect);
  const std::string reasons = join(line.unknown, "; ");
  const bool as_known = row.unknown.empty() ? line.unknown.empty() : reasons.contains(row.unknown);
  if (as_known && shown(line) == row.commands) return {};
  return concat(row.line, "\n  runs ", join(shown(line), " | "), "\n  instead of ", join(row.commands, " | "),
                "\n  and is unknown because: ", reasons.empty() ? "(known)" : reasons);
}

}  // namespace helve::shell
