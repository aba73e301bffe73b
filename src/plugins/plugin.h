// A plugin as it lies in a folder: its manifest, and where its own files are.
#pragma once

#include <string>

#include "plugins/manifest.h"

namespace helve::plugins {

struct Plugin {
  Manifest manifest = {};
  std::string file = {};       // the manifest: NAME/plugin.toml or NAME.toml in a folder
  std::string directory = {};  // where its own files lie
  std::string stamp = {};      // changes with the manifest and with what it names of the plugin's own files
  bool of_project = false;
};

// Reads one manifest and checks it as if it were loaded.
[[nodiscard]] Expected<Plugin> read_plugin(const std::string& file);

}  // namespace helve::plugins
