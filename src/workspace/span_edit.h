// Finds text in the bytes of a file and puts other text in its place; every other byte stays as it is.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/text_encoding.h"
#include "workspace/text_lines.h"

namespace helve {

// All that one has to know about a text file to change it.
struct TextFormat {
  TextEncoding encoding;
  LineCounts lines;

  [[nodiscard]] LineFormat line_format() const { return lines.format(encoding.charset); }
  // For text that goes where no line break is near.
  [[nodiscard]] LineEnding ending() const { return lines.dominant().value_or(LineEnding::kLf); }
};

// `bytes` is the whole file, with its byte order mark.
[[nodiscard]] TextFormat inspect_text(std::string_view bytes);

// In the bytes of the whole file.
struct ByteSpan {
  std::size_t offset = 0;
  std::size_t length = 0;

  [[nodiscard]] std::size_t end() const { return offset + length; }
  bool operator==(const ByteSpan&) const = default;
};

// Where UTF-8 text stands in the file, from the start, without overlaps. A line break in the text (LF or
// CRLF) matches whatever ending the file has there. INVALID_ARGUMENT when the file's encoding has no such
// character.
[[nodiscard]] Expected<std::vector<ByteSpan>> find_text(
    std::string_view bytes, const TextFormat& format, std::string_view text,
    std::size_t most = std::numeric_limits<std::size_t>::max());

// UTF-8 text in the file's encoding, with the line endings of the span that it replaces, one by one; where
// the span has none, with that of the line it is on.
[[nodiscard]] Expected<std::string> fit_text(std::string_view bytes, const TextFormat& format,
                                             const ByteSpan& span, std::string_view text);

struct Replacement {
  ByteSpan span;
  std::string bytes;
};

// The new content in pieces that point into `bytes` and into the replacements, which must be in order, not
// overlap and outlive the result. Ready for atomic_write.
[[nodiscard]] std::vector<std::string_view> splice(std::string_view bytes,
                                                   std::span<const Replacement> replacements);

// Every line break, LF or CRLF, turned into this one.
[[nodiscard]] std::string with_endings(std::string_view text, LineEnding ending);

}  // namespace helve
