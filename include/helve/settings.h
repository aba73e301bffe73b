// All settings of a runtime, with their defaults. The text in describe() documents each setting; the same
// description gives the keys of the configuration file.
//
//   #include <helve/settings.h>
//   helve::Settings careful_settings() {
//     helve::Settings settings;
//     settings.mode = helve::Mode::kAsk;
//     settings.sandbox.level = helve::SandboxLevel::kReadOnly;
//     settings.permissions.allow = {"exec(git status)", "exec(git diff:*)"};
//     settings.permissions.deny = {"read(./secrets/**)"};
//     return settings;
//   }
//
// Pass the settings in RuntimeOptions::settings. The runtime keeps a copy: later changes to the original have
// no effect. `helve config` prints the same settings with their descriptions.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/log.h"
#include "helve/params.h"
#include "helve/permissions.h"
#include "helve/service_settings.h"

namespace HELVE_API helve {

constexpr auto enum_names(LogLevel) {
  return std::to_array<std::string_view>({"error", "warning", "info", "debug"});
}
constexpr auto enum_names(Logger::Format) { return std::to_array<std::string_view>({"plain", "json"}); }

// What paths of the workspace may contain.
enum class SymlinkPolicy { kFollow, kDeny };
constexpr auto enum_names(SymlinkPolicy) { return std::to_array<std::string_view>({"follow", "deny"}); }
enum class ParentPathPolicy { kAllow, kDeny };
constexpr auto enum_names(ParentPathPolicy) { return std::to_array<std::string_view>({"allow", "deny"}); }

// What is synced to disk before a change counts as done: the file and its directory, the file, or nothing.
enum class DurabilityPolicy { kFull, kFile, kNone };
constexpr auto enum_names(DurabilityPolicy) {
  return std::to_array<std::string_view>({"full", "file", "none"});
}

// Which engine grep uses.
enum class SearchEngine { kAuto, kRipgrep, kBuiltin };
constexpr auto enum_names(SearchEngine) {
  return std::to_array<std::string_view>({"auto", "ripgrep", "builtin"});
}

// What commands may write: nothing, the workspace, or everything (no sandbox).
enum class SandboxLevel { kReadOnly, kWorkspaceWrite, kOff };
constexpr auto enum_names(SandboxLevel) {
  return std::to_array<std::string_view>({"read-only", "workspace-write", "off"});
}

// A sandbox feature that may be missing on a machine. Commands are refused without it, unless
// sandbox.may_lack names it.
enum class SandboxPart {
  kUserNamespace,
  kMountNamespace,
  kPidNamespace,
  kNetworkNamespace,
  kIpcNamespace,
  kPrivateProc,
  kMinimalDev,
  kLandlock,
  kSeccomp,
  kCgroup,
};
constexpr auto enum_names(SandboxPart) {
  return std::to_array<std::string_view>({"user-namespace", "mount-namespace", "pid-namespace",
                                          "network-namespace", "ipc-namespace", "private-proc", "minimal-dev",
                                          "landlock", "seccomp", "cgroup"});
}

// All settings. A plain value: copy it freely, and share it between threads only while it does not change. A
// member that you do not set keeps its default. Values are checked when a configuration file is loaded; rules
// are checked by Runtime::create.
struct Settings {
  // Rules for paths.
  struct Workspace {
    SymlinkPolicy symlinks = SymlinkPolicy::kFollow;
    ParentPathPolicy parent_paths = ParentPathPolicy::kAllow;
    DurabilityPolicy durability = DurabilityPolicy::kFull;
    int largest_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("symlinks", symlinks,
                 "follow: symlinks that stay in the workspace; deny: refuse all symlinks.");
      p.optional("parent_paths", parent_paths,
                 "Whether paths that stay in the workspace may contain \"..\".");
      p.optional("durability", durability,
                 "What to sync to disk before a change counts: file and directory, the file, or nothing.");
      p.optional("largest_megabytes", largest_megabytes, "Largest file that can be changed.",
                 {.min = 1, .max = 16'384});
    }
  };

  // How edits match.
  struct Edit {
    bool loose_matches = false;

    void describe(ParamSpec& p) {
      p.optional(
          "loose_matches", loose_matches,
          "Accept a single match that differs only in white space or typographic characters, and report it.");
    }
  };

  // How files are searched.
  struct Search {
    SearchEngine engine = SearchEngine::kAuto;
    std::string ripgrep = "rg";

    void describe(ParamSpec& p) {
      p.optional("engine", engine, "Which engine grep uses; auto takes the faster one.");
      p.optional("ripgrep", ripgrep, "ripgrep's name in PATH, or its absolute path.", {.min_length = 1});
    }
  };

  // How commands run.
  struct Exec {
    std::string shell = "auto";
    int time_limit_ms = 120'000;
    int longest_ms = 3'600'000;
    int sessions = 256;
    int session_minutes = 24 * 60;
    int keep_minutes = 60;
    int output_megabytes = 16'384;
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
      p.optional("keep_environment", keep_environment,
                 "Variables to pass to commands although they look like secrets: NAME or PREFIX_*.");
      p.optional("environment", environment, "Variables to set for commands.");
    }
  };

  // The sandbox for commands.
  struct Sandbox {
    SandboxLevel level = SandboxLevel::kWorkspaceWrite;
    bool network = false;
    std::vector<std::string> writable;
    std::vector<std::string> hidden;
    std::vector<SandboxPart> may_lack;
    int processes = 2048;
    int memory_megabytes = 0;
    int open_files = 0;
    int file_megabytes = 0;
    int cpu_seconds = 0;

    void describe(ParamSpec& p) {
      p.optional("level", level, "What commands may write: nothing, the workspace, or everything.");
      p.optional("network", network, "Whether commands may use the network.");
      p.optional("writable", writable, "Additional directories that commands may write.");
      p.optional("hidden", hidden, "Files and directories that commands may not read.");
      p.optional("may_lack", may_lack, "Sandbox features that may be missing on this machine.");
      p.optional("processes", processes, "Most processes of a command; 0 means no limit.", {.min = 0});
      p.optional("memory_megabytes", memory_megabytes, "Most memory of a command; 0 means no limit.",
                 {.min = 0});
      p.optional("open_files", open_files, "Most open files of a process; 0 means no limit.", {.min = 0});
      p.optional("file_megabytes", file_megabytes, "Largest file a command may write; 0 means no limit.",
                 {.min = 0});
      p.optional("cpu_seconds", cpu_seconds, "Most processor time of a process; 0 means no limit.",
                 {.min = 0});
    }
  };

  // Permission rules. Deny wins over ask, and ask over allow.
  struct Permissions {
    std::vector<std::string> deny;
    std::vector<std::string> ask;
    std::vector<std::string> allow;
    std::map<std::string, std::vector<std::string>> examples;
    std::map<std::string, std::vector<std::string>> counter_examples;
    bool claude_settings = false;
    // Where each rule was written, by list and rule ("deny exec(rm:*)"). Only explanations use it; it is not
    // a setting.
    struct Origin {
      std::string source;      // a file, "--set", …
      std::size_t number = 0;  // the rule's position in that list, from 1
    };
    std::map<std::string, Origin> origins;

    void describe(ParamSpec& p) {
      p.optional("deny", deny, "Rules for calls that never run: exec(git push:*), read(./secrets/**).");
      p.optional("ask", ask, "Rules for calls that always need approval.");
      p.optional("allow", allow, "Rules for calls that run without approval.");
      p.optional("examples", examples, "By rule: calls that it must match; checked at start.");
      p.optional("counter_examples", counter_examples, "By rule: calls that it must not match.");
      p.optional("claude_settings", claude_settings,
                 "Also read the permission lists of .claude/settings.json, of the user and the workspace.");
    }
  };

  // One program that runs before or after calls.
  struct Hook {
    std::string match = "*";
    std::string command;
    int time_limit_ms = 60'000;

    void describe(ParamSpec& p) {
      p.optional("match", match, "Tools it runs for: exec|write, mcp__*, or * for all.");
      p.required("command", command, "Command to run; it gets the call as JSON on stdin.", {.min_length = 1});
      p.optional("time_limit_ms", time_limit_ms, "Time limit.", {.min = 1, .max = 3'600'000});
    }
  };

  // Programs that run before and after calls.
  struct Hooks {
    std::vector<Hook> before;
    std::vector<Hook> after;
    bool fail_closed = false;

    void describe(ParamSpec& p) {
      p.optional("before", before, "Programs to run before a call; exit code 2 blocks it.");
      p.optional("after", after, "Programs to run after a call.");
      p.optional("fail_closed", fail_closed, "Block the call when a hook fails or times out.");
    }
  };

  // How long changes can be undone.
  struct History {
    int keep_days = 90;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("keep_days", keep_days, "Days after which changes can no longer be undone.",
                 {.min = 1, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes,
                 "Disk space for undo; beyond it the oldest changes are dropped.", {.min = 1});
    }
  };

  // Which tools are offered and how they run.
  struct Tools {
    std::vector<std::string> enabled = {"*"};
    bool require_explanation = false;
    int time_limit_ms = 120'000;
    int parallel_calls = 8;

    void describe(ParamSpec& p) {
      p.optional("enabled", enabled,
                 "Tools and groups to offer; \"*\" means all, a leading \"-\" removes one.");
      p.optional("require_explanation", require_explanation, "Require an explanation with every call.");
      p.optional("time_limit_ms", time_limit_ms, "Time limit for calls without their own.",
                 {.min = 1, .max = 86'400'000});
      p.optional("parallel_calls", parallel_calls, "Most calls of a batch to run at once.",
                 {.min = 1, .max = 256});
    }
  };

  // What happens to long results.
  struct Results {
    bool offload = true;
    int limit = 50'000;
    std::map<std::string, int> limits;
    int batch_limit = 200'000;
    int keep_days = 7;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("offload", offload, "Store long results in files and give the model a stub.");
      p.optional("limit", limit, "Most characters of a result for the model; longer results go to a file.",
                 {.min = 2048});
      p.optional("limits", limits, "The same limit by tool name.");
      p.optional("batch_limit", batch_limit, "Most characters for all results of a batch together.",
                 {.min = 2048});
      p.optional("keep_days", keep_days, "Days to keep the files of old sessions.",
                 {.min = 0, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes, "Disk space for the files of old sessions.", {.min = 0});
    }
  };

  // Declared in helve/service_settings.h.
  using LanguageServer = settings::LanguageServer;
  using Lsp = settings::Lsp;
  using Agent = settings::Agent;

  // The record of all calls.
  struct Audit {
    bool enabled = true;
    bool sync = false;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("enabled", enabled, "Record every call.");
      p.optional("sync", sync, "Sync every record to disk.");
      p.optional("keep_megabytes", keep_megabytes,
                 "Disk space for the audit; beyond it the oldest records are removed. 0 keeps everything.",
                 {.min = 0});
    }
  };

  // Data that can be rebuilt: symbol indexes and tool lists.
  struct Caches {
    int keep_days = 90;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("keep_days", keep_days, "Days to keep an unused cache.", {.min = 1, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes,
                 "Disk space for caches; beyond it the least recently used are removed.", {.min = 0});
    }
  };

  using Prices = settings::Prices;
  using Model = settings::Model;

  // Helve's own log.
  struct Log {
    LogLevel level = LogLevel::kWarning;
    Logger::Format format = Logger::Format::kPlain;

    void describe(ParamSpec& p) {
      p.optional("level", level, "Lowest level to write to stderr.");
      p.optional("format", format, "plain text or JSON.");
    }
  };

  using McpOAuth = settings::McpOAuth;
  using McpServer = settings::McpServer;
  using Plugins = settings::Plugins;
  using Guide = settings::Guide;

  Mode mode = Mode::kAsk;
  Workspace workspace;
  Edit edit;
  Search search;
  Exec exec;
  Sandbox sandbox;
  Permissions permissions;
  Hooks hooks;
  History history;
  Tools tools;
  Results results;
  Lsp lsp;
  Agent agent;
  Audit audit;
  Caches caches;
  Model model;
  Log log;
  Plugins plugins;
  Guide guide;
  std::map<std::string, McpServer> mcp_servers;

  void describe(ParamSpec& p) {
    p.optional("mode", mode, "What runs without approval.");
    p.optional("workspace", workspace, "Rules for paths.");
    p.optional("edit", edit, "How edits match.");
    p.optional("search", search, "How files are searched.");
    p.optional("exec", exec, "How commands run.");
    p.optional("sandbox", sandbox, "The sandbox for commands.");
    p.optional("permissions", permissions, "Permission rules.");
    p.optional("hooks", hooks, "Programs to run before and after calls.");
    p.optional("history", history, "How long changes can be undone.");
    p.optional("tools", tools, "Which tools are offered and how they run.");
    p.optional("results", results, "What happens to long results.");
    p.optional("lsp", lsp, "The language servers.");
    p.optional("agent", agent, "Limits for the agent.");
    p.optional("audit", audit, "The record of all calls.");
    p.optional("caches", caches, "Data that can be rebuilt: symbol indexes, tool lists.");
    p.optional("model", model, "Which language model the agent uses.");
    p.optional("log", log, "Helve's own log.");
    p.optional("plugins", plugins, "Tools from libraries, MCP programs and command templates.");
    p.optional("guide", guide, "Advice for models about choosing tools and about failures.");
    p.optional("mcp_servers", mcp_servers, "By name: MCP servers whose tools Helve offers.");
  }
};

}  // namespace helve
