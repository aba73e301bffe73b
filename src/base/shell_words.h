// The words of a command line, for finding the files that it names. src/shell parses command lines exactly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve {

// Without quotes and operators. Substitutions are taken apart like commands; variables stay as written.
[[nodiscard]] std::vector<std::string> shell_words(std::string_view line);

}  // namespace helve
