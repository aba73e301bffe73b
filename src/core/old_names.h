// The names that other agents' tools have, so that a model which uses one is pointed to ours.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace helve {

// The one of `known` that someone who called `name` meant; empty when there is no good guess.
[[nodiscard]] std::string tool_meant_by(std::string_view name, std::span<const std::string> known);

}  // namespace helve
