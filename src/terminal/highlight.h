// Colours for code on a terminal: comments, strings, numbers and keywords, by families of languages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

// Puts a text in a colour; what is not painted is left as it is.
using Paint = std::function<std::string(Colour, std::string_view)>;

// `language` is an id as in workspace/language.h; code in a language that is not known stays as it is. Every
// line is painted for itself, so that pagers and pipes that cut lines leave no colour hanging over.
[[nodiscard]] std::string highlight(std::string_view code, std::string_view language, const Paint& paint);
// The same as lines for a terminal.
[[nodiscard]] std::vector<Line> highlighted_lines(std::string_view code, std::string_view language);

}  // namespace helve::terminal
