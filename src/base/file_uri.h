// Converts paths to file: URIs and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve {

// `path` is absolute.
[[nodiscard]] std::string file_uri(std::string_view path);
// Returns nothing for other schemes. Compare paths rather than URIs: programs escape different characters.
[[nodiscard]] std::optional<std::string> path_of_uri(std::string_view uri);

}  // namespace helve
