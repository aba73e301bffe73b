// A regular file opened for reading, and bounded reads from it.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::workspace {

// Owned by the caller; one thread at a time.
struct OpenFile {
  UniqueFd fd;
  struct stat status = {};
  std::string path;  // resolved: relative to the root, or absolute in an extra read-only root

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(status.st_size); }
};

// "directory", "FIFO (named pipe)", "character device", …
[[nodiscard]] std::string_view file_type_name(mode_t mode);

// An error for everything but regular files. It says what the file is and what to do instead.
[[nodiscard]] Expected<void> require_regular_file(std::string_view path, mode_t mode);

// The whole content. Kernel files that report no size or never end stop at the limit like any other file;
// those without data yet do not block.
[[nodiscard]] Expected<std::string> read_content(
    const OpenFile& file, std::size_t max_bytes = std::numeric_limits<std::size_t>::max() / 2);
// Up to `max_bytes` from `offset`; fewer only at the end that the file had when it was opened.
[[nodiscard]] Expected<std::string> read_part(const OpenFile& file, std::size_t offset,
                                              std::size_t max_bytes);

}  // namespace helve::workspace
