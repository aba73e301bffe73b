// Everything that can be set, with its default. The same description gives the configuration file its keys.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/log.h"
#include "helve/params.h"
#include "helve/permissions.h"
#include "helve/service_settings.h"

namespace helve {

constexpr auto enum_names(LogLevel) {
  return std::to_array<std::string_view>({"error", "warning", "info", "debug"});
}
constexpr auto enum_names(Logger::Format) { return std::to_array<std::string_view>({"plain", "json"}); }

enum class SymlinkPolicy { kFollow, kDeny };
constexpr auto enum_names(SymlinkPolicy) { return std::to_array<std::string_view>({"follow", "deny"}); }
enum class ParentPathPolicy { kAllow, kDeny };
constexpr auto enum_names(ParentPathPolicy) { return std::to_array<std::string_view>({"allow", "deny"}); }

enum class DurabilityPolicy { kFull, kFile, kNone };
constexpr auto enum_names(DurabilityPolicy) {
  return std::to_array<std::string_view>({"full", "file", "none"});
}

enum class SearchEngine { kAuto, kRipgrep, kBuiltin };
constexpr auto enum_names(SearchEngine) {
  return std::to_array<std::string_view>({"auto", "ripgrep", "builtin"});
}

enum class SandboxLevel { kReadOnly, kWorkspaceWrite, kOff };
constexpr auto enum_names(SandboxLevel) {
  return std::to_array<std::string_view>({"read-only", "workspace-write", "off"});
}

// A part of the sandbox that a machine may not have.
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

struct Settings {
  struct Workspace {
    SymlinkPolicy symlinks = SymlinkPolicy::kFollow;
    ParentPathPolicy parent_paths = ParentPathPolicy::kAllow;
    DurabilityPolicy durability = DurabilityPolicy::kFull;
    int largest_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("symlinks", symlinks,
                 "Links that stay in the workspace are followed, or all links are refused.");
      p.optional("parent_paths", parent_paths,
                 "Whether a path may have \"..\" in it when it stays in the workspace.");
      p.optional("durability", durability,
                 "Sync file and directory, the file only, or nothing, before a change counts.");
      p.optional("largest_megabytes", largest_megabytes, "Largest file that can be changed.",
                 {.min = 1, .max = 16'384});
    }
  };

  struct Edit {
    bool loose_matches = false;

    void describe(ParamSpec& p) {
      p.optional(
          "loose_matches", loose_matches,
          "Accept a single place that differs in white space or typographic characters only, and say so.");
    }
  };

  struct Search {
    SearchEngine engine = SearchEngine::kAuto;
    std::string ripgrep = "rg";

    void describe(ParamSpec& p) {
      p.optional("engine", engine, "Who searches contents; auto takes the faster one.");
      p.optional("ripgrep", ripgrep, "ripgrep's name in PATH, or its absolute path.", {.min_length = 1});
    }
  };

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
      p.optional("shell", shell, "What runs commands: auto, bash, zsh, sh, or the path of one.");
      p.optional("time_limit_ms", time_limit_ms, "Time for a command that brings no timeoutMs.",
                 {.min = 1, .max = 86'400'000});
      p.optional("longest_ms", longest_ms, "Largest timeoutMs of a command in the foreground.",
                 {.min = 1, .max = 86'400'000});
      p.optional("sessions", sessions, "Most background commands at once.", {.min = 0, .max = 10'000});
      p.optional("session_minutes", session_minutes, "Longest time that a background command may run.",
                 {.min = 1, .max = 525'600});
      p.optional("keep_minutes", keep_minutes, "How long the output of an ended one stays readable.",
                 {.min = 1, .max = 525'600});
      p.optional("output_megabytes", output_megabytes, "Output of one command to keep on disk.",
                 {.min = 1, .max = 1'048'576});
      p.optional("keep_environment", keep_environment,
                 "Variables to hand to commands though they look like secrets; NAME or PREFIX_*.");
      p.optional("environment", environment, "Variables to set for commands.");
    }
  };

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
      p.optional("writable", writable, "Further directories that commands may write.");
      p.optional("hidden", hidden, "Files and directories that commands may not even read.");
      p.optional("may_lack", may_lack, "Walls to do without where the machine does not have them.");
      p.optional("processes", processes, "Most processes of a command; 0 is no limit.", {.min = 0});
      p.optional("memory_megabytes", memory_megabytes, "Most memory of a command; 0 is no limit.",
                 {.min = 0});
      p.optional("open_files", open_files, "Most open files of a process; 0 is no limit.", {.min = 0});
      p.optional("file_megabytes", file_megabytes, "Largest file a command may write; 0 is no limit.",
                 {.min = 0});
      p.optional("cpu_seconds", cpu_seconds, "Most processor time of a process; 0 is no limit.", {.min = 0});
    }
  };

  struct Permissions {
    std::vector<std::string> deny;
    std::vector<std::string> ask;
    std::vector<std::string> allow;
    std::map<std::string, std::vector<std::string>> examples;
    std::map<std::string, std::vector<std::string>> counter_examples;
    bool claude_settings = false;
    // Where a rule was written, by list and rule ("deny exec(rm:*)"), for explanations; no setting of its
    // own.
    struct Origin {
      std::string source;      // a file, "--set", …
      std::size_t number = 0;  // which rule of its list there, from 1
    };
    std::map<std::string, Origin> origins;

    void describe(ParamSpec& p) {
      p.optional("deny", deny, "Rules for what never runs: exec(git push:*), read(./secrets/**).");
      p.optional("ask", ask, "Rules for what a person is always asked about.");
      p.optional("allow", allow, "Rules for what runs without a question.");
      p.optional("examples", examples, "By rule: calls that it must fit, checked when it is loaded.");
      p.optional("counter_examples", counter_examples, "By rule: calls that it must not fit.");
      p.optional("claude_settings", claude_settings,
                 "Also take the permission lists of .claude/settings.json, of the user and the workspace.");
    }
  };

  struct Hook {
    std::string match = "*";
    std::string command;
    int time_limit_ms = 60'000;

    void describe(ParamSpec& p) {
      p.optional("match", match, "Tools it is for: exec|write, mcp__*, or * for all.");
      p.required("command", command, "What to run; gets the call as JSON on stdin.", {.min_length = 1});
      p.optional("time_limit_ms", time_limit_ms, "Longest time.", {.min = 1, .max = 3'600'000});
    }
  };

  struct Hooks {
    std::vector<Hook> before;
    std::vector<Hook> after;
    bool fail_closed = false;

    void describe(ParamSpec& p) {
      p.optional("before", before, "Programs to run before a call; exit code 2 blocks it.");
      p.optional("after", after, "Programs to run after a call.");
      p.optional("fail_closed", fail_closed, "A hook that fails or takes too long blocks the call.");
    }
  };

  struct History {
    int keep_days = 90;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("keep_days", keep_days, "Days after which changes can no longer be undone.",
                 {.min = 1, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes,
                 "Space for undo; beyond it the oldest changes are forgotten.", {.min = 1});
    }
  };

  struct Tools {
    std::vector<std::string> enabled = {"*"};
    bool require_explanation = false;
    int time_limit_ms = 120'000;
    int parallel_calls = 8;

    void describe(ParamSpec& p) {
      p.optional("enabled", enabled,
                 "Tools and groups to offer; \"*\" is all, a leading \"-\" takes one away.");
      p.optional("require_explanation", require_explanation, "Every call must say why it is made.");
      p.optional("time_limit_ms", time_limit_ms, "Longest time for a call that has no limit of its own.",
                 {.min = 1, .max = 86'400'000});
      p.optional("parallel_calls", parallel_calls, "Most calls of a batch that run at once.",
                 {.min = 1, .max = 256});
    }
  };

  struct Results {
    bool offload = true;
    int limit = 50'000;
    std::map<std::string, int> limits;
    int batch_limit = 200'000;
    int keep_days = 7;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("offload", offload, "Keep long results in files and give the model a stub.");
      p.optional("limit", limit, "Characters of a result that a model gets; the rest goes to a file.",
                 {.min = 2048});
      p.optional("limits", limits, "The same for single tools, by name.");
      p.optional("batch_limit", batch_limit, "Characters that all results of a batch may have together.",
                 {.min = 2048});
      p.optional("keep_days", keep_days, "Days after which the files of old sessions are removed.",
                 {.min = 0, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes, "Space that the files of old sessions may use.",
                 {.min = 0});
    }
  };

  using LanguageServer = settings::LanguageServer;
  using Lsp = settings::Lsp;
  using Agent = settings::Agent;

  struct Audit {
    bool enabled = true;
    bool sync = false;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("enabled", enabled, "Keep a record of every call.");
      p.optional("sync", sync, "Wait for the disk after every record.");
      p.optional("keep_megabytes", keep_megabytes,
                 "Space for the record; beyond it the oldest part is removed. 0 keeps everything.",
                 {.min = 0});
    }
  };

  struct Caches {
    int keep_days = 90;
    int keep_megabytes = 1024;

    void describe(ParamSpec& p) {
      p.optional("keep_days", keep_days, "Days without use after which a cache is removed.",
                 {.min = 1, .max = 36'500});
      p.optional("keep_megabytes", keep_megabytes,
                 "Space for caches; beyond it those unused for longest are removed.", {.min = 0});
    }
  };

  using Prices = settings::Prices;
  using Model = settings::Model;

  struct Log {
    LogLevel level = LogLevel::kWarning;
    Logger::Format format = Logger::Format::kPlain;

    void describe(ParamSpec& p) {
      p.optional("level", level, "Least important entries to write to stderr.");
      p.optional("format", format, "Lines for people, or JSON for programs.");
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
    p.optional("mode", mode, "What runs without a question.");
    p.optional("workspace", workspace, "What paths may look like.");
    p.optional("edit", edit, "How exact edits must be.");
    p.optional("search", search, "How files are searched.");
    p.optional("exec", exec, "How commands run.");
    p.optional("sandbox", sandbox, "The walls around commands.");
    p.optional("permissions", permissions, "Rules about calls.");
    p.optional("hooks", hooks, "Programs of the user to run around calls.");
    p.optional("history", history, "What undo remembers.");
    p.optional("tools", tools, "Which tools there are and how they run.");
    p.optional("results", results, "What happens to long results.");
    p.optional("lsp", lsp, "The language servers.");
    p.optional("agent", agent, "The limits of an agent's work.");
    p.optional("audit", audit, "The record of calls.");
    p.optional("caches", caches,
               "What is kept to save time and can be made again: symbol indexes, lists of tools.");
    p.optional("model", model, "Which language model the agent uses.");
    p.optional("log", log, "What Helve says about itself.");
    p.optional("plugins", plugins, "Tools from libraries, MCP programs and command templates.");
    p.optional("guide", guide, "What models are told about choosing tools, and about tools that fail.");
    p.optional("mcp_servers", mcp_servers, "By name: MCP servers whose tools to offer.");
  }
};

}  // namespace helve
