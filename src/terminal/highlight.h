// Highlights comments, strings, numbers and keywords in code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// Returns the text in a colour.
using Paint = std::function<std::string(Colour, std::string_view)>;

// `language` is an id of text/language.h; unknown languages are not coloured. Colours end at the end of each
// line, so that pagers can cut between lines.
[[nodiscard]] std::string highlight(std::string_view code, std::string_view language, const Paint& paint);
// The same as Lines.
[[nodiscard]] std::vector<Line> highlighted_lines(std::string_view code, std::string_view language);

}  // namespace helve::terminal
