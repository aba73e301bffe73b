// Installs plugins into the user's plugin directory and removes them.
#pragma once

#include <string>

#include "plugins/manifest.h"

namespace helve::plugins {

// The manifest for a path that names it or its directory.
[[nodiscard]] std::string manifest_at(const std::string& path);

struct Installed {
  std::string place;      // the installed directory or file
  bool replaced = false;  // whether it replaced a plugin of the same name
};
// Copies a single manifest, or its directory without hidden files. An existing plugin of that name is
// replaced atomically.
[[nodiscard]] Expected<Installed> install_plugin(const Plugin& plugin, const std::string& user_folder);

// Returns the path that was removed.
[[nodiscard]] Expected<std::string> remove_plugin(const std::string& name, const std::string& user_folder);

}  // namespace helve::plugins
