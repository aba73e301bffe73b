// The syntax tree of one shell text as tree-sitter-bash sees it, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace helve::shell {

enum class NodeKind : std::uint8_t {
  kToken,  // an operator or a keyword
  kOther,  // anything inside of words, which the word reader looks at itself
  kError,
  kArithmeticExpansion,
  kCStyleFor,
  kCase,
  kCaseItem,
  kCommand,
  kCommandName,
  kCommandSubstitution,
  kComment,
  kCompound,
  kDeclaration,
  kDoGroup,
  kElif,
  kElse,
  kExpansion,
  kFileDescriptor,
  kFileRedirect,
  kFor,
  kFunction,
  kHereDocument,
  kHereDocumentBody,
  kHereDocumentEnd,
  kHereDocumentStart,
  kHereString,
  kIf,
  kList,
  kNegated,
  kPipeline,
  kProcessSubstitution,
  kProgram,
  kRedirected,
  kSubshell,
  kTest,
  kUnset,
  kVariableAssignment,
  kVariableAssignments,
  kWhile,
};

struct SyntaxNode {
  NodeKind kind = NodeKind::kOther;
  bool missing = false;  // made up by the parser to go on
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first_child = 0;  // 0: none, since the root is nobody's child
  std::uint32_t next_sibling = 0;
};

// A value; const from any thread.
class SyntaxTree {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Nothing when the deadline comes first.
  [[nodiscard]] static std::optional<SyntaxTree> parse(std::string_view text, Deadline deadline);

  // Whether anything in it, at any depth, does not follow the grammar.
  [[nodiscard]] bool has_error() const { return has_error_; }
  [[nodiscard]] const SyntaxNode& root() const { return nodes_.front(); }
  [[nodiscard]] std::vector<const SyntaxNode*> children(const SyntaxNode& node) const;
  // The node of that kind that begins there, or null.
  [[nodiscard]] const SyntaxNode* find(NodeKind kind, std::size_t begin) const;

 private:
  bool has_error_ = false;
  std::vector<SyntaxNode> nodes_ = {};          // in the order in which they begin
  std::vector<std::uint32_t> expansions_ = {};  // those that `find` can be asked for
};

}  // namespace helve::shell
