// Detects the encoding of a text file, and converts to and from UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helve/error.h"

namespace helve::text {

enum class Charset {
  kUtf8,  // also ASCII; may contain single invalid bytes, which are kept
  kUtf16Le,
  kUtf16Be,
  kLatin1,
  kWindows1250,
  kWindows1251,
  kWindows1252,
  kKoi8R,
  kBinary,  // not text
};

struct TextEncoding {
  Charset charset = Charset::kUtf8;
  bool bom = false;  // the file starts with a byte order mark

  [[nodiscard]] bool is_text() const { return charset != Charset::kBinary; }
  // Bytes per code unit; characters start at multiples of it.
  [[nodiscard]] std::size_t unit_size() const {
    return charset == Charset::kUtf16Le || charset == Charset::kUtf16Be ? 2 : 1;
  }
  bool operator==(const TextEncoding&) const = default;
};

// "utf-8", "utf-8 with BOM", "utf-16le", "windows-1252", "binary", …
[[nodiscard]] std::string to_string(const TextEncoding& encoding);

// Whether the bytes are a whole file or its beginning, which may end within a character.
enum class Extent { kWhole, kBeginning };

// UTF-8 and UTF-16 are recognized reliably. The older single-byte encodings are guessed from the letters. A
// wrong guess shows wrong letters but changes no bytes, because each of them maps all 256.
[[nodiscard]] TextEncoding detect_encoding(std::string_view bytes, Extent extent = Extent::kWhole);

// The byte order mark; empty without one.
[[nodiscard]] std::string_view bom_of(const TextEncoding& encoding);
[[nodiscard]] std::string_view without_bom(std::string_view bytes, const TextEncoding& encoding);

// UTF-8 for display; invalid bytes become U+FFFD. Never written back: edits change the original bytes
// (span_edit.h). Does not remove a byte order mark.
[[nodiscard]] std::string decode(std::string_view bytes, const TextEncoding& encoding);

// Encodes UTF-8 text, without a byte order mark. INVALID_ARGUMENT names the first character that the encoding
// cannot represent, with its line and column.
[[nodiscard]] Expected<std::string> encode(std::string_view text, const TextEncoding& encoding);

}  // namespace helve::text
