// Parses with tree-sitter within limits on time and memory.
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

// Returns null when `is_over`, which is polled, returns true, or when parsing needs far more memory than
// ordinary text of that size. tree-sitter's own progress callback is not enough: it is not called during
// error recovery, and a few kilobytes of hostile text can make recovery take a minute and gigabytes.
[[nodiscard]] SyntaxTreePtr parse_within_bounds(const TSLanguage* language, std::string_view text,
                                                const std::function<bool()>& is_over);

}  // namespace helve
