// Finds options and variables that make a harmless-looking command run other programs or write files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

// Why a rule that allows this command by its first words is not enough: `find . -delete`, `git log
// --output=x`, `PATH=. ls`, an argument that could expand to such an option, or one that is not known to be
// harmless (arguments.h). None when the rule covers every argument. `covered` is the number of words that the
// rule names; those are allowed.
//
// Ignores redirections, substitutions and wrapped commands: the command line lists them separately.
[[nodiscard]] std::optional<std::string> runs_more(const SimpleCommand& command, std::size_t covered = 1);

// Why the command is known to run other programs or to write files; none for all others.
[[nodiscard]] std::optional<std::string> known_effect(const SimpleCommand& command, std::size_t covered = 1);

// Checks only the options between `git` and its subcommand (-c, --exec-path).
[[nodiscard]] std::optional<std::string> git_options_effect(const SimpleCommand& command);

namespace detail {
// In the files effects_git.cc and effects_scripts.cc.
[[nodiscard]] std::optional<std::string> git_effect(const SimpleCommand& command, std::size_t covered);
[[nodiscard]] std::optional<std::string> sed_effect(const SimpleCommand& command);
[[nodiscard]] std::optional<std::string> awk_effect(const SimpleCommand& command);

// Whether `word` is one of the options: combined letters that include one of `letters`, or a long name or its
// abbreviation.
[[nodiscard]] bool is_one_of(std::string_view word, std::string_view letters, std::string_view long_names);
}  // namespace detail

}  // namespace helve::shell
