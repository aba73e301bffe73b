// Names for kinds of files, as ripgrep has them: py, js, cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::search {

struct FileTypes {
  std::vector<std::string> wanted = {};    // globs of names
  std::vector<std::string> unwanted = {};  // of types after a `!`
};

// Looks up "py, !js". Fails for an unknown name and suggests similar ones.
[[nodiscard]] Expected<FileTypes> find_types(std::string_view list);

}  // namespace helve::search
