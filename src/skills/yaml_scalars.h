// Scalars of YAML that need more than trimming: quoted ones with their escapes and folded lines, and blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skills/yaml_lines.h"

namespace helve::skills {

struct QuotedScalar {
  std::string text = {};
  std::size_t lines = 1;        // that it takes
  std::string_view rest = {};   // of the last of them, behind the closing quote
  std::string odd_escape = {};  // one that YAML does not know; kept as written
};

// `first` starts with the quote; `more` are the lines below. Nothing when the quote is never closed.
[[nodiscard]] std::optional<QuotedScalar> read_quoted(std::string_view first, std::span<const YamlLine> more);

struct BlockHeader {
  bool folded = false;
  char chomping = ' ';     // '-' drops all line breaks at the end, '+' keeps them all
  std::size_t indent = 0;  // beyond the parent's; 0: as the first line has it
};

// `|`, `>-`, `|2+ # comment`, …; nothing when it is none.
[[nodiscard]] std::optional<BlockHeader> read_block_header(std::string_view text);

struct BlockScalar {
  std::string text = {};
  std::size_t lines = 0;  // below the header
};

[[nodiscard]] BlockScalar read_block(const BlockHeader& header, std::size_t parent_indent,
                                     std::span<const YamlLine> lines);

}  // namespace helve::skills
