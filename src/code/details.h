// Extracts the details of definitions: parameters, types, bases, decorators, documentation and complexity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "code/nesting.h"
#include "code/symbol.h"

namespace helve::code {

// Fills in the details of the symbols and the file. `definitions` come from nest_definitions().
void add_details(std::vector<Definition>& definitions, const Findings& findings, std::string_view text,
                 std::string_view language, FileAnalysis& analysis);

enum class CommentStyle { kSlashes, kHash };  // `//` and `/* */`, or `#`

// The comment that ends on the line before `begin`, with only attribute lines in between; may be empty.
[[nodiscard]] std::string comment_before(std::string_view text, std::uint32_t begin, CommentStyle style);
// The comment at the start of the file, after a `#!` line. Licence texts are ignored.
[[nodiscard]] std::string comment_at_start(std::string_view text, CommentStyle style);

// `"""Does it.\n\n    More."""` → "Does it.\n\nMore."
[[nodiscard]] std::string docstring_text(std::string_view literal);

}  // namespace helve::code
