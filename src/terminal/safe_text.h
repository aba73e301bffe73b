// Escapes untrusted text, so that it cannot control the terminal.
#pragma once

#include <string>
#include <string_view>

namespace helve::terminal {

// Makes control characters and misleading invisible characters visible. Line breaks and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);
// The same for one line: line breaks and tabs are replaced as well.
[[nodiscard]] std::string printable_line(std::string_view text);
// The same for JSON: such characters become \uXXXX, so the value does not change. Line breaks stay.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace helve::terminal
