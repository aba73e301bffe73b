#include "shell/syntax_tree.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bounded_parse.h"

extern "C" const TSLanguage* tree_sitter_bash();

namespace helve::shell {
namespace {

constexpr std::pair<std::string_view, NodeKind> kKinds[] = {
    {"ERROR", NodeKind::kError},
    {"arithmetic_expansion", NodeKind::kArithmeticExpansion},
    {"c_style_for_statement", NodeKind::kCStyleFor},
    {"case_item", NodeKind::kCaseItem},
    {"case_statement", NodeKind::kCase},
    {"command", NodeKind::kCommand},
    {"command_name", NodeKind::kCommandName},
    {"command_substitution", NodeKind::kCommandSubstitution},
    {"comment", NodeKind::kComment},
    {"compound_statement", NodeKind::kCompound},
    {"declaration_command", NodeKind::kDeclaration},
    {"do_group", NodeKind::kDoGroup},
    {"elif_clause", NodeKind::kElif},
    {"else_clause", NodeKind::kElse},
    {"expansion", NodeKind::kExpansion},
    {"file_descriptor", NodeKind::kFileDescriptor},
    {"file_redirect", NodeKind::kFileRedirect},
    {"for_statement", NodeKind::kFor},
    {"function_definition", NodeKind::kFunction},
    {"heredoc_body", NodeKind::kHereDocumentBody},
    {"heredoc_end", NodeKind::kHereDocumentEnd},
    {"heredoc_redirect", NodeKind::kHereDocument},
    {"heredoc_start", NodeKind::kHereDocumentStart},
    {"herestring_redirect", NodeKind::kHereString},
    {"if_statement", NodeKind::kIf},
    {"list", NodeKind::kList},
    {"negated_command", NodeKind::kNegated},
    {"pipeline", NodeKind::kPipeline},
    {"process_substitution", NodeKind::kProcessSubstitution},
    {"program", NodeKind::kProgram},
    {"redirected_statement", NodeKind::kRedirected},
    {"subshell", NodeKind::kSubshell},
    {"test_command", NodeKind::kTest},
    {"unset_command", NodeKind::kUnset},
    {"variable_assignment", NodeKind::kVariableAssignment},
    {"variable_assignments", NodeKind::kVariableAssignments},
    {"while_statement", NodeKind::kWhile},
};
static_assert(std::ranges::is_sorted(kKinds, {}, &std::pair<std::string_view, NodeKind>::first));

NodeKind kind_of(TSNode node) {
  if (!ts_node_is_named(node)) return NodeKind::kToken;
  const std::string_view type = ts_node_type(node);
  const auto* place =
      std::ranges::lower_bound(kKinds, type, {}, &std::pair<std::string_view, NodeKind>::first);
  return place != std::end(kKinds) && place->first == type ? place->second : NodeKind::kOther;
}

bool can_be_found(NodeKind kind) {
  return kind == NodeKind::kCommandSubstitution || kind == NodeKind::kProcessSubstitution ||
         kind == NodeKind::kArithmeticExpansion || kind == NodeKind::kExpansion;
}

}  // namespace

std::optional<SyntaxTree> SyntaxTree::parse(std::string_view text, Deadline deadline) {
  const SyntaxTreePtr parsed = parse_within_bounds(
      tree_sitter_bash(), text, [deadline] { return std::chrono::steady_clock::now() >= deadline; });
  if (!parsed) return std::nullopt;

  // Not recursive, because the text determines the depth of the tree.
  SyntaxTree tree;
  tree.has_error_ = ts_node_has_error(ts_tree_root_node(parsed.get()));
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(parsed.get()));
  std::vector<std::uint32_t> parents;
  std::uint32_t previous = 0;  // the sibling before, if any
  for (bool going = true; going;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const auto index = static_cast<std::uint32_t>(tree.nodes_.size());
    tree.nodes_.push_back({.kind = kind_of(node),
                           .missing = ts_node_is_missing(node),
                           .begin = ts_node_start_byte(node),
                           .end = ts_node_end_byte(node)});
    if (can_be_found(tree.nodes_.back().kind)) tree.expansions_.push_back(index);
    if (previous != 0)
      tree.nodes_[previous].next_sibling = index;
    else if (!parents.empty())
      tree.nodes_[parents.back()].first_child = index;

    previous = index;
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parents.push_back(index);
      previous = 0;
      continue;
    }
    while (going && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      going = ts_tree_cursor_goto_parent(&cursor);
      if (going) {
        previous = parents.back();
        parents.pop_back();
      }
    }
  }
  ts_tree_cursor_delete(&cursor);
  return tree;
}

std::vector<const SyntaxNode*> SyntaxTree::children(const SyntaxNode& node) const {
  std::vector<const SyntaxNode*> children;
  for (std::uint32_t child = node.first_child; child != 0; child = nodes_[child].next_sibling)
    children.push_back(&nodes_[child]);
  return children;
}

const SyntaxNode* SyntaxTree::find(NodeKind kind, std::size_t begin) const {
  const auto begin_of = [this](std::uint32_t index) { return std::size_t{nodes_[index].begin}; };
  for (const std::uint32_t index : std::ranges::equal_range(expansions_, begin, {}, begin_of))
    if (nodes_[index].kind == kind) return &nodes_[index];
  return nullptr;
}

}  // namespace helve::shell
