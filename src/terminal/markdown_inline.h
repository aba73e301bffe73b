// Markdown within a line: emphasis, code, links.
#pragma once

#include <string_view>

#include "terminal/line.h"

namespace helve::terminal {

// Appends the text to the line; its marks become styles.
void add_inline(Line& line, std::string_view text, const Style& style = {});

}  // namespace helve::terminal
