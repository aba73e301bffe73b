// Follows texts through the pipes of one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/line_values.h"
#include "shell/command_line.h"

namespace helve::policy {

// A view of a line while it is judged.
struct PipedLine {
  const std::string& text;
  const shell::CommandLine& parsed;
  const std::vector<std::size_t>& places;  // of the commands in the text; npos for those of inner texts
  const LineValues& values;
};

// The command whose output the one at `at` reads. `loops`: also if it is in a loop or a group.
[[nodiscard]] std::optional<std::size_t> source_in_pipe(const PipedLine& line, std::size_t at, bool loops);

// The text that reaches a command through its pipe, and what a command prints, if the line tells it.
[[nodiscard]] std::optional<std::string> text_into(const PipedLine& line, std::size_t at);
[[nodiscard]] std::optional<std::string> text_of_command(const PipedLine& line, std::size_t at);

// `<(echo a)` as `$(echo a)` in quotes.
[[nodiscard]] shell::Word substitution_of(std::string_view process_substitution);

// The line with simpler patterns: `!(x)` as `*`, `@(a|b)` as `{a,b}`.
[[nodiscard]] std::string without_extended_patterns(std::string_view text);

}  // namespace helve::policy
