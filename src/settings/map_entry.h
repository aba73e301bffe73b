// One entry of a setting that is a map: lsp.servers.pyright.enabled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/params.h"

namespace helve::settings {

struct MapEntry {
  std::vector<std::string> path = {};  // within the map: {"pyright", "enabled"}
  const ParamType* type = nullptr;     // of the value
};

// `rest` is what follows the map's key and a dot. A name with dots is quoted ("my.server") where members
// follow it. INVALID_ARGUMENT when there is no such member.
[[nodiscard]] Expected<MapEntry> find_map_entry(const ParamType& map, std::string_view rest);

// The map with the entry set; the others stay.
[[nodiscard]] Json with_map_entry(Json map, const std::vector<std::string>& path, Json value);

}  // namespace helve::settings
