// Settings for searches: the member `search` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Which engine grep uses.
enum class SearchEngine { kAuto, kRipgrep, kBuiltin };
constexpr auto enum_names(SearchEngine) {
  return std::to_array<std::string_view>({"auto", "ripgrep", "builtin"});
}

// How files are searched.
struct SearchSettings {
  SearchEngine engine = SearchEngine::kAuto;
  std::string ripgrep = "rg";

  void describe(ParamSpec& p) {
    p.optional("engine", engine, "Which engine grep uses; auto takes the faster one.");
    p.optional("ripgrep", ripgrep, "ripgrep's name in PATH, or its absolute path.", {.min_length = 1});
  }
};

}  // namespace helve
