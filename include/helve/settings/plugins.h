// Settings for plugins: the member `plugins` of Settings (helve/settings.h).
#pragma once

#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// How plugins are loaded.
struct PluginSettings {
  bool enabled = true;
  bool out_of_process = true;
  std::vector<std::string> unsandboxed;
  int start_ms = 10'000;
  int time_limit_ms = 120'000;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Whether to load plugins.");
    p.optional("out_of_process", out_of_process,
               "Run plugin libraries in separate processes, so that a crash stays there.");
    p.optional("unsandboxed", unsandboxed,
               "Names of plugins whose libraries and MCP programs run without a sandbox; \"*\" means all.");
    p.optional("start_ms", start_ms, "Time limit for a library or MCP program to start.",
               {.min = 1, .max = 600'000});
    p.optional("time_limit_ms", time_limit_ms, "Time limit for a call of their tools.",
               {.min = 1, .max = 86'400'000});
  }
};

}  // namespace helve
