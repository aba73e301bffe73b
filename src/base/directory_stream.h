// An open directory that closes itself.
#pragma once

#include <dirent.h>

#include <memory>

namespace helve {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace helve
