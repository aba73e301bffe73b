// The one place in a directory that a write, removal or rename is about.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/file_io.h"

namespace helve {

// Made by Root::open_parent, which resolved all links and checked that it may be written. Owned by the
// caller; may be used from several threads at once.
struct WriteTarget {
  UniqueFd directory;                 // O_PATH; stays the same directory whatever is renamed meanwhile
  std::string name;                   // one component in it
  std::string path;                   // resolved, relative to the root, for people
  std::optional<struct stat> status;  // as found; nothing when there is no such file yet
};

}  // namespace helve
