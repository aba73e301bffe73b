// Names for other servers' tools that models accept and that never clash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::gateway {

// What every function-calling API takes at most.
inline constexpr std::size_t kLongestToolName = 64;

// The servers' names as they stand in the names of their tools, in the same order: letters, digits, - and
// single _, and no two alike.
[[nodiscard]] std::vector<std::string> server_labels(const std::vector<std::string>& servers);

// mcp__label__tool for each, in the same order. A name that had to be changed and is then too long or like
// another one ends in a hash of the original, so that it does not depend on which other tools there are now.
[[nodiscard]] std::vector<std::string> tool_names(std::string_view label,
                                                  const std::vector<std::string>& tools);

}  // namespace helve::gateway
