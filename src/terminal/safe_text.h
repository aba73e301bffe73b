// Text that cannot steer a terminal: everything that comes from outside goes through here before it is shown.
#pragma once

#include <string>
#include <string_view>

namespace helve::terminal {

// Whatever could steer the terminal, or make text look like other text, becomes visible; line breaks and tabs
// stay.
[[nodiscard]] std::string printable(std::string_view text);
// The same on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace helve::terminal
