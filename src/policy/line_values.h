// Finds the values of the words of a command line, as far as the line itself tells: its assignments, loops,
// functions and directories.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/location.h"
#include "shell/command_line.h"

namespace helve::policy {

// Field texts are shell patterns: active wildcards are bare, all other special characters have a backslash.
using Fields = std::vector<std::string>;

[[nodiscard]] std::string escape_pattern(std::string_view text);
// The text of a pattern without active wildcards; empty if it has some.
[[nodiscard]] std::string plain_text(std::string_view pattern);
[[nodiscard]] bool has_active_wildcard(std::string_view pattern);
// Splits shell text at unquoted blanks, as written.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
// `{a,b}` as two words, as written; other words unchanged.
[[nodiscard]] std::vector<std::string> expand_braces(const std::string& word);

// Follows the commands of one line in order. One per line, used by one thread.
class LineValues {
 public:
  LineValues(std::string_view text, std::string directory, const Surroundings& surroundings);

  // Takes the values of an enclosing line: of `x` in `x=/; sh -c 'rm -rf $x'`.
  void inherit(const LineValues& outer);

  // Records what the command changes for later ones: variables, parameters, aliases, the directory.
  void follow(const shell::SimpleCommand& command);
  // Records that later uses of the variables that `read` sets may have these values.
  void feed_readers(const Fields& values);

  // The possible values of the word; empty when unknown. Several values of a variable give several fields.
  [[nodiscard]] Fields expand(const shell::Word& word) const;
  // The fields that a command prints, if its words tell: echo, printf, ls, find, pwd.
  [[nodiscard]] std::optional<Fields> output_of(const shell::SimpleCommand& command) const;
  // The exact text that a command prints or makes of its input: printf, echo -e, base64 -d, rev.
  [[nodiscard]] std::optional<std::string> text_of(const shell::SimpleCommand& command,
                                                   const std::optional<std::string>& input) const;
  // The words of a text.
  [[nodiscard]] static Fields fields_of(std::string_view text);
  // The words of the command with aliases and values; a word with an unknown value has the text
  // kUnknownField.
  [[nodiscard]] Fields expand_command(const shell::SimpleCommand& command) const;

  // Where the command runs; empty when unknown.
  [[nodiscard]] std::string directory_of(const shell::SimpleCommand& command) const;
  [[nodiscard]] bool is_function(std::string_view name) const;
  [[nodiscard]] bool has_functions() const { return !functions_.empty(); }
  // Begins again at the first command, with the variables and parameters of the first pass.
  void restart(const std::string& directory);

  static constexpr std::string_view kUnknownField = "\x01";

 private:
  friend class WordExpansion;
  using Values = std::vector<std::string>;  // plain texts

  void read_loops();
  void read_functions();
  void assign(const shell::Assignment& assignment);
  void assign_defaults(const shell::Word& word);
  [[nodiscard]] bool is_unset(std::string_view name) const;
  [[nodiscard]] bool may_have_parameters() const;
  // The words from `first` on become the parameters from `number` on.
  void set_parameters(const shell::SimpleCommand& command, std::size_t first, std::size_t number = 1);
  void leave_subshells(const shell::SimpleCommand& command);
  void change_directory(const shell::SimpleCommand& command);
  [[nodiscard]] std::optional<Values> values_of(std::string_view name) const;
  [[nodiscard]] Values plain_values(const shell::Word& word) const;

  std::string text_;
  const Surroundings* surroundings_;  // never null
  std::string directory_;
  std::map<std::string, Values, std::less<>> variables_ = {};
  std::map<std::string, std::string, std::less<>> aliases_ = {};
  std::vector<std::string> functions_ = {};
  std::vector<std::string> readers_ = {};          // variables of `read`
  std::map<std::size_t, std::string> chdir_ = {};  // by depth of wrappers: env -C, sudo -D
  std::size_t place_ = 0;                          // in the text, after the last command
  std::size_t depth_ = 0;                          // of parentheses at that place
  bool inherits_ = false;                          // there is an enclosing line
  std::vector<std::pair<std::size_t, std::string>> outside_ =
      {};  // directories of enclosing shells, by depth
};

}  // namespace helve::policy
