// Reads single words of a shell text by the shell's own rules of quoting and expansion.
//
// tree-sitter-bash is made for colouring: it passes over `\ ` as if it were blank, and does not look into the
// patterns of `${x#…}` or at the backticks of a here-document. So it only says where substitutions end and
// how words make up commands; where a word ends and what is in it is read here, and where the two differ the
// text is in doubt.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shell/command_line.h"
#include "shell/syntax_tree.h"

namespace helve::shell {

// Something inside of a word that runs commands of its own.
struct Substitution {
  const SyntaxNode* node = nullptr;  // in the same tree; null for backticks
  std::string backticks = {};        // their text, to be read as a command line of its own
};

// One per text, used by its statement reader only.
class WordReader {
 public:
  WordReader(std::string_view text, const SyntaxTree& tree, Dialect dialect)
      : text_(text), tree_(tree), dialect_(dialect) {}

  enum class Place { kArgument, kAssignedValue };
  struct Result {
    Word word = {};
    std::size_t end = 0;
  };
  [[nodiscard]] Result read_word(std::size_t begin, Place place = Place::kArgument);
  // `name=value`, `name+=value`, `name[1]=value` or `name=(…)`; an empty name when it is none of these.
  struct AssignmentResult {
    Assignment assignment = {};
    std::size_t end = 0;
  };
  [[nodiscard]] AssignmentResult read_assignment(std::size_t begin);
  // The text of a here-document in which expansions take place.
  [[nodiscard]] Word read_here_document(std::size_t begin, std::size_t end);
  // What stands between `[[` and `]]`, or between the parentheses of an array.
  [[nodiscard]] std::vector<Word> read_loosely(std::size_t begin, std::size_t end);
  // Arithmetic evaluates variables as expressions again, and these may run commands (`a[$(x)]`): only numbers
  // are sure. Returns where it ended, which is behind `end` when something goes over it.
  std::size_t read_arithmetic(std::size_t begin, std::size_t end);

  // What was found since the last time. A substitution that several words reach into is found once.
  [[nodiscard]] std::vector<Substitution> take_substitutions() { return std::move(substitutions_); }
  [[nodiscard]] std::vector<std::string> take_assigned_names() { return std::move(assigned_names_); }
  [[nodiscard]] std::vector<std::string> take_doubts() { return std::move(doubts_); }

 private:
  // Each takes the place where its construct begins, appends its value to `out`, and returns where it ends.
  std::size_t read_double_quotes(std::size_t begin, std::string& out);
  std::size_t read_ansi_quotes(std::size_t begin, std::string& out);
  std::size_t read_dollar(std::size_t begin, std::string& out, bool quoted);
  std::size_t read_braces(std::size_t begin, bool quoted);
  std::size_t read_pattern(std::size_t begin, bool quoted);
  std::size_t read_backticks(std::size_t begin);
  std::size_t read_array(std::size_t begin);
  std::size_t take_node(NodeKind kind, std::size_t begin);
  [[nodiscard]] bool is_brace_expansion(std::size_t begin);
  void doubt(std::string reason);
  [[nodiscard]] char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  const SyntaxTree& tree_;
  Dialect dialect_;
  bool literal_ = true;  // of the word that is being read
  int depth_ = 0;
  std::pair<std::size_t, std::size_t> plain_braces_ = {0, 0};  // from where to where none is expanded
  std::vector<Substitution> substitutions_ = {};
  std::unordered_set<const SyntaxNode*> found_nodes_ = {};
  std::vector<std::string> assigned_names_ = {};  // by ${name:=value}
  std::vector<std::string> doubts_ = {};
};

}  // namespace helve::shell
