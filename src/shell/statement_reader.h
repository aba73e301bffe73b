// Walks the syntax tree of one shell text and finds the commands in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/analysis.h"
#include "shell/command_line.h"
#include "shell/syntax_tree.h"
#include "shell/word_reader.h"

namespace helve::shell {

// Used once, for one text, by one thread.
class StatementReader {
 public:
  StatementReader(std::string_view text, const SyntaxTree& tree, const Frame& frame, Analysis& analysis)
      : text_(text), tree_(tree), frame_(frame), analysis_(analysis), words_(text, tree, frame.dialect) {}

  void read();

 private:
  // Redirections that the tree attaches to a whole list although they belong to its last command.
  using Redirects = std::vector<const SyntaxNode*>;

  void read_statement(const SyntaxNode& node, const Redirects& redirects = {});
  void read_children(const SyntaxNode& node, const Redirects& redirects = {});
  void read_redirected(const SyntaxNode& node, Redirects outer);
  void read_command(const SyntaxNode& node, const Redirects& redirects);
  void read_declaration(const SyntaxNode& node, const Redirects& redirects);
  void read_assignments(const SyntaxNode& node, const Redirects& redirects);
  void read_test(const SyntaxNode& node, const Redirects& redirects);
  void read_for(const SyntaxNode& node);
  void read_c_style_for(const SyntaxNode& node);
  void read_case(const SyntaxNode& node);
  void read_case_item(const SyntaxNode& node);
  void read_function(const SyntaxNode& node);
  void read_substitution(const SyntaxNode& node);

  // Parts of a command; each appends to it.
  void take_word(const SyntaxNode& node, SimpleCommand& command);
  void take_assignment(const SyntaxNode& node, SimpleCommand& command);
  void take_redirect(const SyntaxNode& node, SimpleCommand& command);
  void take_file_redirect(const SyntaxNode& node, SimpleCommand& command);
  void take_here_string(const SyntaxNode& node, SimpleCommand& command);
  void take_here_document(const SyntaxNode& node, SimpleCommand& command);
  void take_here_document_body(const SyntaxNode& node, std::size_t line_end, SimpleCommand& command);

  // Adds a command, then the substitutions in its words and the statements after its here-document.
  void finish(SimpleCommand command, const SyntaxNode& node);
  void finish_substitutions();
  void add_redirections(const Redirects& redirects, const SyntaxNode& node);

  enum class Gaps { kBlank, kWithNewlines };
  // The text between children must be blank; otherwise the parser skipped something.
  void check_gaps(const SyntaxNode& node, Gaps gaps);
  void check_gap(std::size_t begin, std::size_t end, Gaps gaps);
  void check_keyword(const SyntaxNode& node);
  void check_comment(const SyntaxNode& node);
  [[nodiscard]] std::string_view slice(const SyntaxNode& node) const {
    return text_.substr(node.begin, node.end - node.begin);
  }
  void doubt(std::string reason) { analysis_.doubt(std::move(reason)); }
  void misread(std::string reason) { analysis_.misread(std::move(reason)); }

  std::string_view text_;
  const SyntaxTree& tree_;
  Frame frame_;
  Analysis& analysis_;
  WordReader words_;
  std::vector<const SyntaxNode*> after_ = {};  // statements on the line of a here-document
};

}  // namespace helve::shell
