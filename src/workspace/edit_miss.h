// Explains why a text that was to be replaced is not in a file: what is there instead, and how it differs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "workspace/span_edit.h"

namespace helve {

// NOT_FOUND with the closest region, its line numbers and the kind of difference: white space, indentation,
// quotes, letter case, line numbers pasted from `read`. Bounded work, whatever the file.
[[nodiscard]] Error explain_miss(std::string_view bytes, const TextFormat& format, std::string_view old_text,
                                 std::string_view path);

struct LooseMatch {
  ByteSpan span;  // whole lines, without the last one's ending
  std::string difference;
};

// Where the text stands but for white space or typographic characters; only when that is one place, on whole
// lines.
[[nodiscard]] std::optional<LooseMatch> find_loose_match(std::string_view bytes, const TextFormat& format,
                                                         std::string_view old_text);

}  // namespace helve
