// What a command can do beside what its first words say: options and variables that make harmless-looking
// programs run or write something else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

// Why a rule that allows this command by its first words must not decide alone: `find . -delete`, `git log
// --output=x`, `PATH=. ls`, or an argument that could turn into such an option. Nothing when the command does
// what it says. A rule that names more than the program passes how many words it `covered`; what these say is
// meant.
//
// What is redirected, substituted or wrapped is not looked at: the command line lists it.
[[nodiscard]] std::optional<std::string> runs_more(const SimpleCommand& command, std::size_t covered = 1);

// The part of it about options between `git` and its subcommand (-c, --exec-path), which decide what the rest
// means.
[[nodiscard]] std::optional<std::string> git_options_effect(const SimpleCommand& command);

namespace detail {
// In the files effects_git.cc and effects_scripts.cc.
[[nodiscard]] std::optional<std::string> git_effect(const SimpleCommand& command, std::size_t covered);
[[nodiscard]] std::optional<std::string> sed_effect(const SimpleCommand& command);
[[nodiscard]] std::optional<std::string> awk_effect(const SimpleCommand& command);

// Whether `word` is one of the options: a cluster with one of the letters, or a long name or the beginning of
// one.
[[nodiscard]] bool is_one_of(std::string_view word, std::string_view letters, std::string_view long_names);
}  // namespace detail

}  // namespace helve::shell
