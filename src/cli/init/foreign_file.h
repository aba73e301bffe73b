// Reads, replaces or removes a configuration file of another program without losing changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::cli {

// A snapshot of the file.
struct ForeignFile {
  std::string path;  // with symlinks resolved: the target is changed, the link stays
  std::string text;
  bool exists = false;

  // A missing file reads as empty. CONFLICT for broken symlinks and anything but a regular file.
  [[nodiscard]] static Expected<ForeignFile> load(const std::string& path);

  // Replaces it atomically and keeps mode and owner. CONFLICT if it has changed since it was read. Returns
  // the created directories, outermost first.
  [[nodiscard]] Expected<std::vector<std::string>> replace(std::string_view new_text,
                                                           unsigned new_file_mode) const;
  // Also removes the given directories if they are empty.
  [[nodiscard]] Expected<void> remove(const std::vector<std::string>& directories) const;
};

}  // namespace helve::cli
