// What ripgrep says with --json, one message per line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/grep.h"

namespace helve::search {

struct RipgrepMessage {
  enum class Kind { kBegin, kMatch, kContext, kEnd, kSummary, kOther };

  Kind kind = Kind::kOther;
  std::string path = {};               // bytes, as ripgrep was told to look
  std::string lines = {};              // bytes of a match or context, with line breaks
  std::size_t line_number = 0;         // of the first of them
  std::vector<Submatch> matches = {};  // positions in `lines`
  bool binary = false;                 // at the end of a file
};

// Nothing when the line is no such message.
[[nodiscard]] std::optional<RipgrepMessage> parse_message(std::string_view line);

}  // namespace helve::search
