// Understands the flags that users know from grep, ripgrep, ls, head, tail, find and fd.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"

namespace helve::cli {

struct Spelled {
  std::vector<std::string> words;       // with the tool's own flags
  std::vector<std::string> more_paths;  // after the first one: the tool runs once for each
};

// Rewrites the words after `helve TOOL`. Words of other tools, and those with a flag that is neither known to
// fingers nor to the tool, stay as they are.
[[nodiscard]] Spelled from_shell_spelling(std::string_view tool, const ParamType& params,
                                          const ParamType& globals, std::span<const std::string> words);

}  // namespace helve::cli
