// Splits YAML into lines and parses quoted scalars and blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::skills {

inline constexpr std::size_t kNone = std::string_view::npos;

struct YamlLine {
  int number = 0;
  std::size_t indent = 0;     // leading spaces
  std::string_view content;   // after them, without trailing spaces; empty for a blank line
  std::string_view whole;     // as written, without the line break
  bool tab_indented = false;  // a tab is in the indentation
  [[nodiscard]] bool is_blank() const { return content.empty(); }
  [[nodiscard]] bool is_comment() const { return content.starts_with('#'); }
};

[[nodiscard]] std::vector<YamlLine> split_yaml_lines(std::string_view text, int first_line);

// Removes a trailing comment, which starts with a `#` after a space.
[[nodiscard]] std::string_view without_comment(std::string_view text);

// The offset of the colon in `key: value`; npos when the text is not such a pair. The key may be quoted.
[[nodiscard]] std::size_t find_key_end(std::string_view content);

struct QuotedScalar {
  std::string text = {};
  std::size_t lines = 1;        // number of lines that it spans
  std::string_view rest = {};   // of the last line, after the closing quote
  std::string odd_escape = {};  // an unknown escape, kept as written
};

// `first` starts with the quote; `more` are the lines below. None when the quote is never closed.
[[nodiscard]] std::optional<QuotedScalar> read_quoted(std::string_view first, std::span<const YamlLine> more);

struct BlockHeader {
  bool folded = false;
  char chomping = ' ';     // '-' removes all trailing line breaks, '+' keeps them
  std::size_t indent = 0;  // relative to the parent; 0: that of the first line
};

// Parses `|`, `>-`, `|2+ # comment`, …; none for other text.
[[nodiscard]] std::optional<BlockHeader> read_block_header(std::string_view text);

struct BlockScalar {
  std::string text = {};
  std::size_t lines = 0;  // below the header
};

[[nodiscard]] BlockScalar read_block(const BlockHeader& header, std::size_t parent_indent,
                                     std::span<const YamlLine> lines);

}  // namespace helve::skills
