// Parses with tree-sitter within bounds of time and memory.
#pragma once

#include <tree_sitter/api.h>

#include <functional>
#include <memory>
#include <string_view>

namespace helve {

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using SyntaxTreePtr = std::unique_ptr<TSTree, TreeDeleter>;

// Nothing when `is_over` says so, which is asked now and then, or when it would take far more memory than any
// honest text of that size. tree-sitter asks its own callback while it reads; but it mends errors all in one
// go, and a few kilobytes can be made so that this takes a minute and gigabytes.
[[nodiscard]] SyntaxTreePtr parse_within_bounds(const TSLanguage* language, std::string_view text,
                                                const std::function<bool()>& is_over);

}  // namespace helve
