// Finds the place that a path names, beneath an open directory, one component at a time and without races.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "workspace/path_check.h"

namespace helve {

enum class Symlinks { kFollow, kDeny };
// What to do when the last component is a symbolic link: go where it leads, or take the link itself.
enum class FinalLink { kFollow, kKeep };

// A directory that paths are resolved beneath. `real` is where it was when it was opened and `given` how it
// was named then: an absolute link target that starts with either lies inside.
struct BaseDirectory {
  UniqueFd fd;
  std::vector<std::string> real;
  std::vector<std::string> given;
  bool read_only = false;
};

// Opens `path` beneath `directory`, going through no symbolic link at all; `path` has no `..`. Returns -1
// with errno set; ELOOP tells that a component is a link. One system call where the kernel has openat2.
[[nodiscard]] int open_plain(int directory, const std::string& path, int flags);
// The same for kernels without it.
[[nodiscard]] int open_plain_stepwise(int directory, const std::string& path, int flags);

// Where a walk ended. The directory handle stays good whatever is renamed meanwhile.
struct Place {
  UniqueFd directory;                    // O_PATH
  std::vector<std::string> components;   // of the directory, resolved, beneath the base
  std::string name;                      // the last component; empty when the path names the directory itself
  std::optional<struct stat> status;     // of `name`, or of the directory itself; nothing when it is missing
  std::vector<std::string> beyond = {};  // what the path asks for beneath a missing `name`

  // Resolved components of what the path names.
  [[nodiscard]] std::vector<std::string> all_components() const;
};

// `shown` is the path as it was asked for, for errors. A link is followed only by its text: each target is
// walked from the base again, so that no step can end outside, whatever is swapped meanwhile.
[[nodiscard]] Expected<Place> walk_beneath(const BaseDirectory& base, const PathText& path,
                                           std::string_view shown, Symlinks symlinks, FinalLink final_link);

// What the kernel said about a path, in words.
[[nodiscard]] Error open_error(std::string_view shown, int error_number);

}  // namespace helve
