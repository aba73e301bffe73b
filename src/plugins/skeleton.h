// The beginning of a plugin of each kind: files that build, work, and pass their own test.
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

// `include_directory` is where helve/plugin.hpp lies; empty when the compiler finds it by itself.
[[nodiscard]] Expected<std::vector<SkeletonFile>> plugin_skeleton(PluginKind kind, const std::string& name,
                                                                  const std::string& include_directory);

// Makes the folder with the files in it; it must not be there before.
[[nodiscard]] Expected<void> write_skeleton(const std::vector<SkeletonFile>& files,
                                            const std::string& folder);

}  // namespace helve::plugins
