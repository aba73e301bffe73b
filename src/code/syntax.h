// The syntax tree of one text, made within limits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bounded_parse.h"
#include "code/parse_limits.h"

namespace helve::code {

using Tree = SyntaxTreePtr;

// Null when a limit was reached first. `text` must be shorter than 4 GiB.
[[nodiscard]] Tree parse(const TSLanguage* language, std::string_view text, const ParseLimits& limits);

struct ErrorRegions {
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;
  std::vector<std::uint32_t> lines = {};  // where the first few begin, counting from 1
};

// The outermost places that do not follow the grammar.
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
// The direct children, all of them, in one pass.
[[nodiscard]] std::vector<TSNode> children_of(TSNode node, std::size_t most = 4096);

}  // namespace helve::code
