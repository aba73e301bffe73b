// Whether one path is beneath another.
#pragma once

#include <string_view>

namespace helve {

// True when `path` is `directory` or lies in it. Whole components; both are absolute and without `/` at their
// ends.
[[nodiscard]] constexpr bool lies_in(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace helve
