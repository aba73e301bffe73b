// Puts plugins into the user's folder and takes them out again; touches nothing else.
#pragma once

#include <string>

#include "plugins/plugin.h"

namespace helve::plugins {

// The manifest that a person means by a file or by the folder around it.
[[nodiscard]] std::string manifest_at(const std::string& path);

struct Installed {
  std::string place;      // the folder or file that is there now
  bool replaced = false;  // one of that name was there before
};
// Copies it: a single manifest, or its folder with all files but hidden ones. The new one takes the place of
// an old one in one step.
[[nodiscard]] Expected<Installed> install_plugin(const Plugin& plugin, const std::string& user_folder);

// What was removed.
[[nodiscard]] Expected<std::string> remove_plugin(const std::string& name, const std::string& user_folder);

}  // namespace helve::plugins
