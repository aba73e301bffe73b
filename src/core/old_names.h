// Tool names of other agents, so that a model that uses one is pointed to Helve's tool.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace helve::core {

// The name in `known` that `name` most likely means; empty without a good guess.
[[nodiscard]] std::string tool_meant_by(std::string_view name, std::span<const std::string> known);

}  // namespace helve::core
