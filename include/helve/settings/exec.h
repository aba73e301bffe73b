// Settings for commands: the member `exec` of Settings (helve/settings.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// How commands run.
struct ExecSettings {
  std::string shell = "auto";
  int time_limit_ms = 120'000;
  int longest_ms = 3'600'000;
  int sessions = 256;
  int session_minutes = 24 * 60;
  int keep_minutes = 60;
  int output_megabytes = 16'384;
  bool undo = true;
  int undo_megabytes = 1'024;
  int undo_paths = 200'000;
  std::vector<std::string> undo_skips;
  std::vector<std::string> keep_environment;
  std::map<std::string, std::string> environment;

  void describe(ParamSpec& p) {
    p.optional("shell", shell, "Shell for commands: auto, bash, zsh, sh, or a path.");
    p.optional("time_limit_ms", time_limit_ms, "Time limit for a command without timeoutMs.",
               {.min = 1, .max = 86'400'000});
    p.optional("longest_ms", longest_ms, "Largest timeoutMs of a foreground command.",
               {.min = 1, .max = 86'400'000});
    p.optional("sessions", sessions, "Most background jobs at once.", {.min = 0, .max = 10'000});
    p.optional("session_minutes", session_minutes, "Time limit for background jobs.",
               {.min = 1, .max = 525'600});
    p.optional("keep_minutes", keep_minutes, "How long the output of a finished job stays readable.",
               {.min = 1, .max = 525'600});
    p.optional("output_megabytes", output_megabytes, "Most output of one command to keep on disk.",
               {.min = 1, .max = 1'048'576});
    p.optional("undo", undo,
               "Keep what sandboxed commands change in the workspace, so that it can be undone.");
    p.optional("undo_megabytes", undo_megabytes, "Most content to keep for the undo of one command.",
               {.min = 1, .max = 1'048'576});
    p.optional("undo_paths", undo_paths, "Most changed paths that the undo of one command covers.",
               {.min = 1, .max = 10'000'000});
    p.optional("undo_skips", undo_skips,
               "Names of directories whose changes are not kept, such as node_modules.");
    p.optional("keep_environment", keep_environment,
               "Variables to pass to commands although they look like secrets: NAME or PREFIX_*.");
    p.optional("environment", environment, "Variables to set for commands.");
  }
};

}  // namespace helve
