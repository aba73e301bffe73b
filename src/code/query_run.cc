#include "code/query_run.h"

#include <algorithm>
#include <span>

namespace helve::code {
namespace {

// Far above any hand-written file; bounds the memory.
constexpr std::size_t kMostFindings = 2'000'000;
// Limits unfinished matches, because some inputs would otherwise take quadratic time.
constexpr std::uint32_t kMostUnfinished = 256;

bool holds(const Query& query, std::span<const TSQueryCapture> captures, std::uint16_t pattern,
           std::string_view text) {
  return std::ranges::all_of(query.predicates[pattern], [&](const Predicate& predicate) {
    return std::ranges::any_of(captures, [&](const TSQueryCapture& capture) {
      return capture.index == predicate.capture &&
             std::ranges::find(predicate.texts, text_of(text, capture.node)) != predicate.texts.end();
    });
  });
}

ByteRange range_of(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }

// A match is either a definition with its parts or a single marker.
void take(const Query& query, std::span<const TSQueryCapture> captures, Findings& findings) {
  FoundDefinition definition;
  bool defines = false;
  for (const TSQueryCapture& capture : captures) {
    const Capture& meaning = query.captures[capture.index];
    switch (meaning.role) {
      case Role::kDefinition:
      case Role::kEntry:
      case Role::kAttribute:
        defines = true;
        definition.kind = meaning.kind;
        definition.is_entry = meaning.role == Role::kEntry;
        definition.is_attribute = meaning.role == Role::kAttribute;
        definition.node = capture.node;
        break;
      case Role::kName: definition.name = capture.node; break;
      case Role::kDeclarator: definition.declarator = capture.node; break;
      case Role::kContainer: definition.container = capture.node; break;
      case Role::kBases: definition.bases.push_back(capture.node); break;
      case Role::kScope: findings.scopes.push_back(range_of(capture.node)); break;
      case Role::kImport: findings.imports.push_back(range_of(capture.node)); break;
      case Role::kDecorator: findings.decorators.push_back(range_of(capture.node)); break;
      case Role::kBase: findings.embedded.push_back(range_of(capture.node)); break;
      case Role::kBranch: findings.branches.push_back(ts_node_start_byte(capture.node)); break;
      case Role::kNone: break;
    }
  }
  if (defines) findings.definitions.push_back(std::move(definition));
}

bool is_over(TSQueryCursorState* state) { return static_cast<const ParseLimits*>(state->payload)->reached(); }

}  // namespace

Findings run_query(const Query& query, const TSTree* tree, std::string_view text, const ParseLimits& limits) {
  Findings findings;
  if (!query.compiled) return findings;
  const std::unique_ptr<TSQueryCursor, decltype(&ts_query_cursor_delete)> cursor(ts_query_cursor_new(),
                                                                                 &ts_query_cursor_delete);
  ts_query_cursor_set_match_limit(cursor.get(), kMostUnfinished);
  ParseLimits payload = limits;
  const TSQueryCursorOptions options{.payload = &payload, .progress_callback = is_over};
  ts_query_cursor_exec_with_options(cursor.get(), query.compiled.get(), ts_tree_root_node(tree), &options);
  TSQueryMatch match{};
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    const std::span captures(match.captures, match.capture_count);
    if (holds(query, captures, match.pattern_index, text)) take(query, captures, findings);
    if (findings.definitions.size() + findings.branches.size() + findings.scopes.size() > kMostFindings) {
      findings.incomplete = true;
      break;
    }
  }
  if (ts_query_cursor_did_exceed_match_limit(cursor.get()) || limits.reached()) findings.incomplete = true;
  return findings;
}

Tree parse(const TSLanguage* language, std::string_view text, const ParseLimits& limits) {
  return parse_within_bounds(language, text, [&limits] { return limits.reached(); });
}

ErrorRegions find_errors(const TSTree* tree, std::size_t most_lines) {
  ErrorRegions errors;
  if (!ts_node_has_error(ts_tree_root_node(tree))) return errors;
  // Not recursive, because the input controls the depth of the tree.
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
