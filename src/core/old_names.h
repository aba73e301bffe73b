// Tool names of other agents, so that a model or a user who uses one is pointed to Helve's tool.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::core {

// More names by setting: {"Shell", "exec"}.
using MoreNames = std::map<std::string, std::string>;

// The name in `known` that other agents or models call `name`; empty without one.
[[nodiscard]] std::string tool_with_other_name(std::string_view name, std::span<const std::string> known,
                                               const MoreNames& more = {});
// The same, or else the most similar name; empty without a good guess.
[[nodiscard]] std::string tool_meant_by(std::string_view name, std::span<const std::string> known,
                                        const MoreNames& more = {});

// The names in `known` that are most like `name`, nearest first. Tools of MCP servers count with and without
// their prefix.
[[nodiscard]] std::vector<std::string> nearest_tools(std::string_view name,
                                                     std::span<const std::string> known, std::size_t most);

}  // namespace helve::core
