// Renders unified diffs for a terminal, with line numbers, colours and marked words.
#pragma once

#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// At most `most` lines; the last one counts the omitted lines.
[[nodiscard]] std::vector<Line> diff_view(std::string_view diff, std::size_t most);

}  // namespace helve::terminal
