// Reads single words of a shell text with the shell's rules for quoting and expansion.
//
// tree-sitter-bash is made for syntax highlighting: it skips `\ ` like a blank, and does not parse the
// patterns of `${x#…}` or the backticks in a here-document. It decides only where substitutions end and how
// words form commands. This class decides where a word ends and what it contains. Any disagreement adds a
// doubt.
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

// A part of a word that runs commands.
struct Substitution {
  const SyntaxNode* node = nullptr;  // in the same tree; null for backticks
  std::string backticks = {};        // their text, a separate command line
};

// One per text, used only by its StatementReader.
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
  // Reads `name=value`, `name+=value`, `name[1]=value` or `name=(…)`; otherwise the name is empty.
  struct AssignmentResult {
    Assignment assignment = {};
    std::size_t end = 0;
  };
  [[nodiscard]] AssignmentResult read_assignment(std::size_t begin);
  // Reads the text of a here-document with expansions.
  [[nodiscard]] Word read_here_document(std::size_t begin, std::size_t end);
  // Reads the words between `[[` and `]]`, or between the parentheses of an array.
  [[nodiscard]] std::vector<Word> read_loosely(std::size_t begin, std::size_t end);
  // Arithmetic evaluates variables as expressions, which may run commands (`a[$(x)]`), so anything but
  // numbers adds a doubt. Returns the position where it ended, which is after `end` if a construct crosses
  // it.
  std::size_t read_arithmetic(std::size_t begin, std::size_t end);

  // Return what was found since the last call. A substitution that spans several words is found once.
  [[nodiscard]] std::vector<Substitution> take_substitutions() { return std::move(substitutions_); }
  [[nodiscard]] std::vector<std::string> take_assigned_names() { return std::move(assigned_names_); }
  [[nodiscard]] std::vector<std::string> take_doubts() { return std::move(doubts_); }
  // True once something could not be parsed.
  [[nodiscard]] bool is_misread() const { return is_misread_; }

 private:
  // Each takes the position where its construct begins, appends its value to `out`, and returns where it
  // ends.
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
  void misread(std::string reason);
  [[nodiscard]] char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  const SyntaxTree& tree_;
  Dialect dialect_;
  bool literal_ = true;  // of the current word
  int depth_ = 0;
  std::pair<std::size_t, std::size_t> plain_braces_ = {0, 0};  // a range without brace expansion
  std::vector<Substitution> substitutions_ = {};
  std::unordered_set<const SyntaxNode*> found_nodes_ = {};
  std::vector<std::string> assigned_names_ = {};  // by ${name:=value}
  std::vector<std::string> doubts_ = {};
  bool is_misread_ = false;
};

}  // namespace helve::shell
