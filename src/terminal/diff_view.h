// Unified diffs for a terminal: line numbers, colours, and marks on the words that changed.
#pragma once

#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// At most `most` lines; when there are more, the last one says how many.
[[nodiscard]] std::vector<Line> diff_view(std::string_view diff, std::size_t most);

}  // namespace helve::terminal
