// Everything that can be set, with its default. The same description gives the configuration file its keys.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "helve/log.h"
#include "helve/params.h"
#include "helve/permissions.h"

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

  struct Audit {
    bool enabled = true;
    bool sync = false;

    void describe(ParamSpec& p) {
      p.optional("enabled", enabled, "Keep a record of every call.");
      p.optional("sync", sync, "Wait for the disk after every record.");
    }
  };

  struct Log {
    LogLevel level = LogLevel::kWarning;
    Logger::Format format = Logger::Format::kPlain;

    void describe(ParamSpec& p) {
      p.optional("level", level, "Least important entries to write to stderr.");
      p.optional("format", format, "Lines for people, or JSON for programs.");
    }
  };

  Mode mode = Mode::kAsk;
  Workspace workspace;
  Edit edit;
  Search search;
  History history;
  Tools tools;
  Results results;
  Audit audit;
  Log log;

  void describe(ParamSpec& p) {
    p.optional("mode", mode, "What runs without a question.");
    p.optional("workspace", workspace, "What paths may look like.");
    p.optional("edit", edit, "How exact edits must be.");
    p.optional("search", search, "How files are searched.");
    p.optional("history", history, "What undo remembers.");
    p.optional("tools", tools, "Which tools there are and how they run.");
    p.optional("results", results, "What happens to long results.");
    p.optional("audit", audit, "The record of calls.");
    p.optional("log", log, "What Helve says about itself.");
  }
};

}  // namespace helve
