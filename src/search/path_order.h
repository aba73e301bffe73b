// The order in which a walk meets paths.
#pragma once

#include <string_view>

namespace helve::search {

// Depth first, names by their bytes: `a/b` comes before `a.c`, as `a` comes before `a.c`.
[[nodiscard]] inline bool walks_before(std::string_view left, std::string_view right) {
  for (std::size_t i = 0;; ++i) {
    if (i == left.size() || i == right.size()) return left.size() < right.size();
    if (left[i] == right[i]) continue;
    if (left[i] == '/' || right[i] == '/') return left[i] == '/';
    return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]);
  }
}

}  // namespace helve::search
