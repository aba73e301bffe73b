// The syntax tree that tree-sitter-bash produces for one shell text, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace helve::shell {

enum class NodeKind : std::uint8_t {
  kToken,  // an operator or a keyword
  kOther,  // parts of words, which WordReader parses
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
  bool missing = false;  // inserted by the parser to recover from an error
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first_child = 0;  // 0: none, because the root is not a child
  std::uint32_t next_sibling = 0;
};

class SyntaxTree {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // None when the deadline passes first.
  [[nodiscard]] static std::optional<SyntaxTree> parse(std::string_view text, Deadline deadline);

  // Whether any part of the text does not follow the grammar.
  [[nodiscard]] bool has_error() const { return has_error_; }
  [[nodiscard]] const SyntaxNode& root() const { return nodes_.front(); }
  [[nodiscard]] std::vector<const SyntaxNode*> children(const SyntaxNode& node) const;
  // The node of this kind that begins there, or null.
  [[nodiscard]] const SyntaxNode* find(NodeKind kind, std::size_t begin) const;

 private:
  bool has_error_ = false;
  std::vector<SyntaxNode> nodes_ = {};          // ordered by `begin`
  std::vector<std::uint32_t> expansions_ = {};  // the nodes that `find` searches
};

}  // namespace helve::shell
