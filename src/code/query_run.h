// Parses a text, runs a query over the tree and groups the captures by role.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bounded_parse.h"
#include "code/extract.h"
#include "code/grammar.h"

namespace helve::code {

using Tree = SyntaxTreePtr;

// Null if a limit was reached. `text` must be shorter than 4 GiB.
[[nodiscard]] Tree parse(const TSLanguage* language, std::string_view text, const ParseLimits& limits);

struct ErrorRegions {
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;
  std::vector<std::uint32_t> lines = {};  // of the first few, starting at 1
};

// The outermost syntax errors.
[[nodiscard]] ErrorRegions find_errors(const TSTree* tree, std::size_t most_lines = 5);

[[nodiscard]] inline std::string_view text_of(std::string_view text, TSNode node) {
  if (ts_node_is_null(node)) return {};
  return text.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
}
[[nodiscard]] inline std::string_view type_of(TSNode node) {
  return ts_node_is_null(node) ? std::string_view() : ts_node_type(node);
}
[[nodiscard]] inline TSNode field_of(TSNode node, std::string_view name) {
  if (ts_node_is_null(node)) return node;
  return ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
}
// The direct children, at most `most`.
[[nodiscard]] std::vector<TSNode> children_of(TSNode node, std::size_t most = 4096);

// A definition found by a query, before naming and nesting. Nodes may be null.
struct FoundDefinition {
  SymbolKind kind = SymbolKind::kVariable;
  bool is_entry = false;
  bool is_attribute = false;
  bool is_other_branch = false;  // in an #else branch, so its surroundings may be incomplete
  TSNode node = {};
  TSNode name = {};
  TSNode declarator = {};
  TSNode container = {};
  std::vector<TSNode> bases = {};
};

struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Findings {
  std::vector<FoundDefinition> definitions = {};
  std::vector<ByteRange> scopes = {};
  std::vector<ByteRange> imports = {};
  std::vector<ByteRange> decorators = {};
  std::vector<ByteRange> embedded = {};      // embedded types
  std::vector<std::uint32_t> branches = {};  // their start offsets
  bool incomplete = false;
};

[[nodiscard]] Findings run_query(const Query& query, const TSTree* tree, std::string_view text,
                                 const ParseLimits& limits);

}  // namespace helve::code
