// Paths as file: URIs, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve {

// Of an absolute path.
[[nodiscard]] std::string file_uri(std::string_view path);
// Nothing for other schemes. Programs differ in what they escape, so paths are what is compared.
[[nodiscard]] std::optional<std::string> path_of_uri(std::string_view uri);

}  // namespace helve
