// A file of another program that Helve changes for the person: read, replaced or removed, and nothing lost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::cli {

// A value: the file as it was when it was read.
struct ForeignFile {
  std::string path;  // without links: a link stays one, and what it leads to is changed
  std::string text;
  bool exists = false;

  // A missing file is an empty one; anything but a file, and a link to nothing, is refused.
  [[nodiscard]] static Expected<ForeignFile> load(const std::string& path);

  // In one step, unless somebody else changed it meanwhile (CONFLICT); mode and owner stay. Gives back the
  // directories that were made for it, outermost first.
  [[nodiscard]] Expected<std::vector<std::string>> replace(std::string_view new_text,
                                                           unsigned new_file_mode) const;
  // With those of the directories that are empty then.
  [[nodiscard]] Expected<void> remove(const std::vector<std::string>& directories) const;
};

}  // namespace helve::cli
