// Resolves a path below an open directory, one component at a time and without races.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "workspace/path_check.h"

namespace helve::workspace {

enum class Symlinks { kFollow, kDeny };
// Whether to follow a symlink in the last component or to use the link itself.
enum class FinalLink { kFollow, kKeep };

// A directory below which paths are resolved. `real` is its real path when it was opened, `given` the path
// that was passed. An absolute symlink target that starts with either is inside.
struct BaseDirectory {
  UniqueFd fd;
  std::vector<std::string> real;
  std::vector<std::string> given;
  bool read_only = false;
  std::string path = {};  // `real` as text
  dev_t device = 0;
  ino_t inode = 0;
};

// Opens `path`, which has no `..`, below `directory` without following any symlink. Returns -1 with errno
// set; ELOOP means that a component is a symlink. One system call if the kernel has openat2.
[[nodiscard]] int open_plain(int directory, const std::string& path, int flags);
// The same for kernels without openat2.
[[nodiscard]] int open_plain_stepwise(int directory, const std::string& path, int flags);

// The end of a walk. The directory handle stays valid even if the directory is renamed.
struct Place {
  UniqueFd directory;                    // O_PATH
  std::vector<std::string> components;   // of the directory, resolved, below the base
  std::string name;                      // the last component; empty for the directory itself
  std::optional<struct stat> status;     // of `name` or the directory; nullopt when it is missing
  std::vector<std::string> beyond = {};  // the rest of the path below a missing `name`

  // The resolved components of the whole path.
  [[nodiscard]] std::vector<std::string> all_components() const;
};

// `shown` is the requested path, for errors. Symlinks are followed by their text: each target is walked from
// the base again, so that no step can leave it, even if directories are swapped meanwhile.
[[nodiscard]] Expected<Place> walk_beneath(const BaseDirectory& base, const PathText& path,
                                           std::string_view shown, Symlinks symlinks, FinalLink final_link);

// Turns an error number from opening a path into an error.
[[nodiscard]] Error open_error(std::string_view shown, int error_number);

}  // namespace helve::workspace
