// Templates for new plugins of each kind, which build and pass their own test.
#pragma once

#include <string>
#include <vector>

#include "plugins/manifest.h"

namespace helve::plugins {

struct SkeletonFile {
  std::string name;
  std::string text;
  bool executable = false;
};

// `include_directory` contains helve/plugin.hpp; empty if the compiler finds it by default.
[[nodiscard]] Expected<std::vector<SkeletonFile>> plugin_skeleton(PluginKind kind, const std::string& name,
                                                                  const std::string& include_directory);

// Creates the directory, which must not exist, and writes the files.
[[nodiscard]] Expected<void> write_skeleton(const std::vector<SkeletonFile>& files,
                                            const std::string& folder);

}  // namespace helve::plugins
