// Command-line options as getopt reads them, with all options of a program in one line of a table; and what
// an expansion can make of a word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::shell {

// Letters, or names with blanks between them.
struct OptionTable {
  std::string_view flags = {};       // letters without a value
  std::string_view values = {};      // letters with one
  std::string_view attached = {};    // letters with one that can only be attached: -i{}
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

// Reads options from words[begin] on, up to the first operand. An option that is not in the table, and a word
// whose value nobody knows and that could be one, is not understood.
[[nodiscard]] OptionsRead read_options(std::span<const Word> words, std::size_t begin,
                                       const OptionTable& table);

// Whether the blank-separated list has the word.
[[nodiscard]] bool lists(std::string_view list, std::string_view word);

// Whether the word stays one word, whatever its expansions bring.
[[nodiscard]] bool is_one_word(const Word& word);
// Whether the program could take the word, or a part of it, for an option.
[[nodiscard]] bool may_be_option(const Word& word);

// The words as one would write them in a shell.
[[nodiscard]] std::string quoted_line(std::span<const Word> words);

}  // namespace helve::shell
