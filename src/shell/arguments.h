// Decides by default which arguments a prefix rule covers: a program's options are listed as harmless, or
// they are not covered.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

// The known arguments of a program. An argument that is not listed may run code or write files.
//
// `options` are words separated by spaces:
//   -v --all        without a value
//   -k= --tb=       with any value, attached or in the next word
//   --color?        with an optional value, attached after `=`
//   -j=# -O*%       with a value of a kind: of the next word, or of the rest of a word that begins with -O
// Kinds: # a number, % a word, & words separated by commas, ~ a file that a build writes, @ a path inside of
// the current directory, ! NAME=on or NAME=number, : a file without a colon, ^ a package, link: flags that
// only name or strip. Otherwise the choices, separated by |, in which a star stands for any text without a
// slash.
struct ArgumentRow {
  std::string_view programs;
  std::string_view options = {};
  std::string_view operands = {};  // their kind; empty: any
  std::string_view subcommands =
      {};  // the first operand is one of these, or the rule names it; empty: no subcommands
  std::string_view only = {};  // the row holds only for this first argument
  std::string_view rest = {};  // the program that receives the words after `--`
  std::size_t most_operands = static_cast<std::size_t>(-1);
  bool single_dash = false;  // long options have one dash, and letters cannot be combined
  bool script = false;       // the first operand is a script, and the rest belongs to it
};

// Why a rule that names `covered` words of the command does not cover all of its arguments; none when it
// does.
[[nodiscard]] std::optional<std::string> unlisted_argument(const SimpleCommand& command, std::size_t covered);

// Whether the arguments of a program are known not to be commands, apart from those that command_line.h lists
// and those behind a runner (runners.h).
[[nodiscard]] bool is_described(std::string_view program);

// Whether it runs the command in its arguments: `env`, `timeout`, `parallel`.
[[nodiscard]] bool is_wrapper(std::string_view program);

namespace detail {
// Separated by spaces: programs that neither run code nor write files that their arguments do not name.
[[nodiscard]] std::string_view plain_programs();
// Separated by spaces: programs without described options whose arguments are not commands.
[[nodiscard]] std::string_view named_programs();
// The tables: arguments_files.cc, arguments_builds.cc, arguments_languages.cc.
[[nodiscard]] std::span<const ArgumentRow> file_arguments();
[[nodiscard]] std::span<const ArgumentRow> build_arguments();
[[nodiscard]] std::span<const ArgumentRow> language_arguments();
[[nodiscard]] bool fits_kind(std::string_view kind, std::string_view text);
}  // namespace detail

}  // namespace helve::shell
