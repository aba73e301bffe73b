// The lines of a YAML text with their indentation, as the parser goes through them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve::skills {

inline constexpr std::size_t kNone = std::string_view::npos;

struct YamlLine {
  int number = 0;
  std::size_t indent = 0;     // leading spaces
  std::string_view content;   // behind them, without spaces at the end; empty for a blank line
  std::string_view whole;     // as written, without the line break
  bool tab_indented = false;  // a tab stands where spaces should
  [[nodiscard]] bool is_blank() const { return content.empty(); }
  [[nodiscard]] bool is_comment() const { return content.starts_with('#'); }
};

[[nodiscard]] std::vector<YamlLine> split_yaml_lines(std::string_view text, int first_line);

// Without a comment at the end, which starts with a `#` behind a space.
[[nodiscard]] std::string_view without_comment(std::string_view text);

// Where the key of `key: value` ends: the offset of its colon; npos when the text is no such pair. A quoted
// key counts with its quotes.
[[nodiscard]] std::size_t find_key_end(std::string_view content);

}  // namespace helve::skills
