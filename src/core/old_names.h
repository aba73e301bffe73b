// Tool names of other agents, so that a model or a user who uses one is pointed to Helve's tool.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace helve::core {

// More names by setting: {"Shell", "exec"}.
using MoreNames = std::map<std::string, std::string>;

// The name in `known` that other agents or models call `name`; empty without one.
[[nodiscard]] std::string tool_with_other_name(std::string_view name, std::span<const std::string> known,
                                               const MoreNames& more = {});
// The same, or else the most similar name; empty without a good guess.
[[nodiscard]] std::string tool_meant_by(std::string_view name, std::span<const std::string> known,
                                        const MoreNames& more = {});

}  // namespace helve::core
