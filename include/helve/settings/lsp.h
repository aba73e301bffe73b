// Settings for language servers: the member `lsp` of Settings (helve/settings.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/json.h"
#include "helve/params.h"

namespace HELVE_API helve {

// One language server. Members that are not set keep the values of the built-in table.
struct LanguageServerSettings {
  std::optional<bool> enabled;
  std::optional<std::string> command;
  std::optional<std::vector<std::string>> args;
  std::optional<std::vector<std::string>> languages;
  std::optional<std::vector<std::string>> files;
  std::optional<std::vector<std::string>> root_markers;
  std::optional<Json> initialization_options;
  std::optional<Json> settings;
  std::optional<std::string> install;
  std::optional<bool> sandbox;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "false: never use it.");
    p.optional("command", command, "Program: a name in PATH, or a path.");
    p.optional("args", args, "Its arguments.");
    p.optional("languages", languages, "Language ids it handles: python, cpp, typescriptreact.");
    p.optional("files", files, "Additional files it handles: *.ext or whole names.");
    p.optional("root_markers", root_markers, "Files that mark a project's root.");
    p.optional("initialization_options", initialization_options, "Options to send with initialize.");
    p.optional("settings", settings, "Configuration by section, sent when the server asks.");
    p.optional("install", install, "Command that installs it; shown when it is missing.");
    p.optional(
        "sandbox", sandbox,
        "Whether it runs in the sandbox, because it runs the project's build files. A program that comes "
        "with the workspace always does.");
  }
};

// The language servers, and how long Helve waits for them.
struct LspSettings {
  bool enabled = true;
  std::map<std::string, LanguageServerSettings> servers;
  int start_seconds = 30;
  int ready_seconds = 15;
  int answer_seconds = 30;
  int idle_minutes = 30;
  int memory_megabytes = 4096;
  bool diagnostics_after_edit = false;
  int diagnostics_wait_ms = 3000;

  void describe(ParamSpec& p) {
    p.optional("enabled", enabled, "Whether to use language servers.");
    p.optional("servers", servers, "Language servers by name, in addition to the built-in table.");
    p.optional("start_seconds", start_seconds, "Time limit for a server to start.", {.min = 1, .max = 600});
    p.optional("ready_seconds", ready_seconds,
               "How long to wait while a server indexes before an answer is partial.",
               {.min = 0, .max = 600});
    p.optional("answer_seconds", answer_seconds, "Time limit for one answer.", {.min = 1, .max = 600});
    p.optional("idle_minutes", idle_minutes, "Stop a server after this idle time.",
               {.min = 1, .max = 100'000});
    p.optional("memory_megabytes", memory_megabytes,
               "Restart a server that uses more memory than this; 0 means no limit.", {.min = 0});
    p.optional("diagnostics_after_edit", diagnostics_after_edit,
               "Report the errors and warnings that an edit introduces.");
    p.optional("diagnostics_wait_ms", diagnostics_wait_ms, "How long an edit waits for them.",
               {.min = 1, .max = 120'000});
  }
};

}  // namespace helve
