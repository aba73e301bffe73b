// A manual page as plain text, for terminals on machines without man(1).
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace helve::cli {

// `roff` is one of our own pages (cli/man_page.h); others may use more than is understood here.
[[nodiscard]] std::string manual_text(const Terminal& terminal, std::string_view roff);

}  // namespace helve::cli
