#include "core/old_names.h"

#include <algorithm>

#include "base/strings.h"
#include "policy/foreign_names.h"

namespace helve::core {

std::string tool_with_other_name(std::string_view name, std::span<const std::string> known,
                                 const MoreNames& more) {
  const std::string_view tool = policy::tool_guessed(name, more);
  return std::ranges::find(known, tool) != known.end() ? std::string(tool) : std::string();
}

std::string tool_meant_by(std::string_view name, std::span<const std::string> known, const MoreNames& more) {
  if (std::string tool = tool_with_other_name(name, known, more); !tool.empty()) return tool;
  const auto near = nearest(name, known);
  return near.empty() ? std::string() : near.front();
}

}  // namespace helve::core
