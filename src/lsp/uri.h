// Paths as the file: URIs of the protocol, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::lsp {

// Of an absolute path.
[[nodiscard]] std::string uri_of_path(std::string_view path);
// Nothing for other schemes. Servers differ in what they escape, so paths are what is compared.
[[nodiscard]] std::optional<std::string> path_of_uri(std::string_view uri);

}  // namespace helve::lsp
