// Parses command-line options like getopt, from a table of a program's options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::shell {

// Letters, or names separated by spaces.
struct OptionTable {
  std::string_view flags = {};       // letters without a value
  std::string_view values = {};      // letters with a value
  std::string_view attached = {};    // letters with a value that must be attached: -i{}
  std::string_view long_flags = {};  // also with `=value`
  std::string_view long_values = {};
};

struct FoundOption {
  std::string name = {};  // a letter or a long name
  Word value = {};
};

struct OptionsRead {
  bool understood = true;
  std::vector<FoundOption> found = {};
  std::size_t next = 0;  // the first operand

  [[nodiscard]] bool has(std::string_view letter_or_name) const;
};

// Reads options from words[begin] to the first operand. `understood` is false when there is an option that is
// not in the table, or an expansion that could be an option.
[[nodiscard]] OptionsRead read_options(std::span<const Word> words, std::size_t begin,
                                       const OptionTable& table);

// Whether the space-separated list contains the word.
[[nodiscard]] bool lists(std::string_view list, std::string_view word);

// Whether the word stays one word after expansion.
[[nodiscard]] bool is_one_word(const Word& word);
// Whether the word, or a part of it, could be an option after expansion.
[[nodiscard]] bool may_be_option(const Word& word);

// The words as shell input.
[[nodiscard]] std::string quoted_line(std::span<const Word> words);

// Options of shells that do not change which programs a text runs, for `set -x` and `sh -x`.
[[nodiscard]] bool is_safe_shell_letter(char letter);
// For `set -o name`.
[[nodiscard]] bool is_safe_shell_option(std::string_view name);
// For `shopt -s name`.
[[nodiscard]] bool is_safe_shopt(std::string_view name);

}  // namespace helve::shell
