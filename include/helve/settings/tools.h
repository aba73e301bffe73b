// Settings for tools: the member `tools` of Settings (helve/settings.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Which tools are offered and how they run.
struct ToolSettings {
  std::vector<std::string> enabled = {"*"};
  bool require_explanation = false;
  std::map<std::string, std::string> names;
  int time_limit_ms = 120'000;
  int parallel_calls = 8;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled,
               "Tools and groups to offer; \"*\" means all, a leading \"-\" removes one.");
    p.optional("require_explanation", require_explanation, "Require an explanation with every call.");
    p.optional("names", names,
               "Other names of tools, for allowed-tools of skills and for suggestions: Shell = \"exec\".");
    p.optional("time_limit_ms", time_limit_ms, "Time limit for calls without their own.",
               {.min = 1, .max = 86'400'000});
    p.optional("parallel_calls", parallel_calls, "Most calls of a batch to run at once.",
               {.min = 1, .max = 256});
  }
};

}  // namespace helve
