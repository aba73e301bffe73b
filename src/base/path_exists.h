// Whether anything has a path's name.
#pragma once

#include <sys/stat.h>

#include <string>

namespace helve {

// Also a link that leads nowhere.
[[nodiscard]] inline bool path_exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace helve
