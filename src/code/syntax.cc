#include "code/syntax.h"

namespace helve::code {

Tree parse(const TSLanguage* language, std::string_view text, const ParseLimits& limits) {
  return parse_within_bounds(language, text, [&limits] { return limits.reached(); });
}

ErrorRegions find_errors(const TSTree* tree, std::size_t most_lines) {
  ErrorRegions errors;
  if (!ts_node_has_error(ts_tree_root_node(tree))) return errors;
  // Without recursion: the depth of the tree is up to whoever wrote the text.
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool going = true; going;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const bool is_error = ts_node_is_error(node) || ts_node_is_missing(node);
    if (is_error) {
      ++errors.count;
      errors.bytes += ts_node_end_byte(node) - ts_node_start_byte(node);
      if (errors.lines.size() < most_lines) errors.lines.push_back(ts_node_start_point(node).row + 1);
    }
    if (!is_error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (going && !ts_tree_cursor_goto_next_sibling(&cursor)) going = ts_tree_cursor_goto_parent(&cursor);
  }
  ts_tree_cursor_delete(&cursor);
  return errors;
}

std::vector<TSNode> children_of(TSNode node, std::size_t most) {
  std::vector<TSNode> children;
  if (ts_node_is_null(node)) return children;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) do
      children.push_back(ts_tree_cursor_current_node(&cursor));
    while (children.size() < most && ts_tree_cursor_goto_next_sibling(&cursor));
  ts_tree_cursor_delete(&cursor);
  return children;
}

}  // namespace helve::code
