// Documentation that stands before a definition as a comment, and its text without the comment's marks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::code {

enum class CommentStyle { kSlashes, kHash };  // `//` and `/* */`, or `#`

// The comment that ends on the line before the one with `begin`; lines of attributes may be between. Empty
// when there is none.
[[nodiscard]] std::string comment_before(std::string_view text, std::uint32_t begin, CommentStyle style);
// The comment at the start of the file, behind a `#!` line; what only speaks of licences does not count.
[[nodiscard]] std::string comment_at_start(std::string_view text, CommentStyle style);

// `"""Does it.\n\n    More."""` → "Does it.\n\nMore."
[[nodiscard]] std::string docstring_text(std::string_view literal);

}  // namespace helve::code
