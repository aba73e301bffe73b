// Reads scripts of sed for commands that they run and files that they write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::policy {

struct SedEffects {
  std::vector<std::string> commands = {};  // `e COMMAND`, `s/x/COMMAND/e`
  std::vector<std::string> files = {};     // `w FILE`, `s/x/y/w FILE`
  bool runs_input = false;                 // `e` alone runs the lines that sed reads
};

// A text that is not a script has no effects, or harmless ones.
[[nodiscard]] SedEffects read_sed_script(std::string_view script);

}  // namespace helve::policy
