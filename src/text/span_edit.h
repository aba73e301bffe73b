// Finds and replaces text in the bytes of a file without changing any other byte.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "text/text_encoding.h"
#include "text/text_lines.h"

namespace helve::text {

// The encoding and line endings of a text file.
struct TextFormat {
  TextEncoding encoding;
  LineCounts lines;

  [[nodiscard]] LineFormat line_format() const { return lines.format(encoding.charset); }
  // For text at a place without a line break nearby.
  [[nodiscard]] LineEnding ending() const { return lines.dominant().value_or(LineEnding::kLf); }
};

// `bytes` is the whole file, with its byte order mark.
[[nodiscard]] TextFormat inspect_text(std::string_view bytes);

// In bytes of the whole file.
struct ByteSpan {
  std::size_t offset = 0;
  std::size_t length = 0;

  [[nodiscard]] std::size_t end() const { return offset + length; }
  bool operator==(const ByteSpan&) const = default;
};

// Whether places that share bytes with the one before them count.
enum class Overlaps { kLeftOut, kFound };

// All places of UTF-8 text in the file, from the start. A line break in the text (LF or
// CRLF) matches any line ending. INVALID_ARGUMENT when the file's encoding lacks a character.
[[nodiscard]] Expected<std::vector<ByteSpan>> find_text(
    std::string_view bytes, const TextFormat& format, std::string_view text,
    std::size_t most = std::numeric_limits<std::size_t>::max(), Overlaps overlaps = Overlaps::kLeftOut);

// Converts UTF-8 text to the file's encoding and to the line endings of the span that it replaces, one by
// one. If the span has none, uses the ending of its line.
[[nodiscard]] Expected<std::string> fit_text(std::string_view bytes, const TextFormat& format,
                                             const ByteSpan& span, std::string_view text);

struct Replacement {
  ByteSpan span;
  std::string bytes;
};

// The new content in pieces, for atomic_write. They point into `bytes` and the replacements, which must
// outlive them, be in order and not overlap.
[[nodiscard]] std::vector<std::string_view> splice(std::string_view bytes,
                                                   std::span<const Replacement> replacements);

// Converts every line break, LF or CRLF, to this ending.
[[nodiscard]] std::string with_endings(std::string_view text, LineEnding ending);

}  // namespace helve::text
