// Decodes a source file for parsing, or gives the reason to skip it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::code {

inline constexpr std::size_t kLargestSource = std::size_t{16} << 20;

struct SourceText {
  std::string text = {};      // UTF-8 without a byte order mark; may contain invalid bytes
  std::string language = {};  // an id of text/language.h; empty if unknown
  std::string skipped = {};   // reason to skip it: "it is a binary file"
};

// `bytes` is the whole file.
[[nodiscard]] SourceText read_source(std::string_view path, std::string_view bytes);

}  // namespace helve::code
