// The text of a source file as the parsers want it, or why it is not worth parsing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::code {

inline constexpr std::size_t kLargestSource = std::size_t{16} << 20;

struct SourceText {
  std::string text = {};      // UTF-8 without a byte order mark; single invalid bytes are possible
  std::string language = {};  // an id of workspace/language.h; empty when not known
  std::string skipped = {};   // why it should not be parsed: "it is a binary file"
};

// `bytes` are the whole file.
[[nodiscard]] SourceText read_source(std::string_view path, std::string_view bytes);

}  // namespace helve::code
