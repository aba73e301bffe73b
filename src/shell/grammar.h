// Checks that bash can parse a text. tree-sitter-bash accepts more than bash does: it finds two commands in
// `ls ;; pwd`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve::shell {

// A recursive-descent parser of bash's grammar that builds nothing. Where it is stricter than bash, a line is
// merely not understood. Used once.
class Grammar {
 public:
  explicit Grammar(std::string_view text) : text_(text) {}

  [[nodiscard]] bool accepts();

 private:
  // All functions return false if the text cannot be parsed.
  bool list(std::string_view closer, bool may_be_empty);
  bool list_until(std::string_view first, std::string_view second, std::string_view third);
  bool pipeline();
  bool command();
  bool coprocess();
  bool compound(std::string_view keyword);
  bool if_clause();
  bool loop_body();
  bool for_clause();
  bool case_clause();
  bool case_item();
  bool arithmetic_or_subshell();
  bool redirections();
  bool simple_command();
  bool array();
  bool redirection();
  bool here_document(bool strips_tabs);

  // [[ … ]]
  bool condition();
  bool condition_list();
  bool condition_term();
  bool condition_operand(bool is_pattern);

  bool word();
  bool single_quotes();
  bool double_quotes();
  bool ansi_quotes();
  bool backticks();
  bool dollar();
  bool braces();
  bool parentheses();
  bool substitution();

  bool enter();  // one level deeper, within the limits
  void skip_blanks();
  bool skip_newlines();
  bool skip_here_documents();
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  // A backslash at the end is followed by nothing, so the place may be one after the end.
  [[nodiscard]] std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  [[nodiscard]] bool starts_with(std::string_view what) const { return rest().starts_with(what); }
  bool take(std::string_view what);
  // The word at the current place if it has no quotes and expansions, so that it may be a keyword.
  [[nodiscard]] std::string_view plain_word() const;
  bool take_keyword(std::string_view keyword);
  [[nodiscard]] bool at_redirection() const;

  struct HereDocument {
    std::string delimiter;
    bool strips_tabs;
  };
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t steps_ = 0;
  std::vector<HereDocument> waiting_;  // begin after the next line break
};

}  // namespace helve::shell
