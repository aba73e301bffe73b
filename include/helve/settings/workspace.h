// Settings for paths and changes in the workspace: the member `workspace` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <string_view>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// The characters that paths of the workspace may contain.
enum class SymlinkPolicy { kFollow, kDeny };
constexpr auto enum_names(SymlinkPolicy) { return std::to_array<std::string_view>({"follow", "deny"}); }

enum class ParentPathPolicy { kAllow, kDeny };
constexpr auto enum_names(ParentPathPolicy) { return std::to_array<std::string_view>({"allow", "deny"}); }

// Synced to disk before a change counts as done: the file and its directory, the file, or nothing.
enum class DurabilityPolicy { kFull, kFile, kNone };
constexpr auto enum_names(DurabilityPolicy) {
  return std::to_array<std::string_view>({"full", "file", "none"});
}

// Rules for paths.
struct WorkspaceSettings {
  SymlinkPolicy symlinks = SymlinkPolicy::kFollow;
  ParentPathPolicy parent_paths = ParentPathPolicy::kAllow;
  DurabilityPolicy durability = DurabilityPolicy::kFull;
  int largest_megabytes = 1024;

  void describe(ParamSpec& p) {
    p.optional("symlinks", symlinks,
               "follow: symlinks that stay in the workspace; deny: refuse all symlinks.");
    p.optional("parent_paths", parent_paths, "Whether paths that stay in the workspace may contain \"..\".");
    p.optional("durability", durability,
               "What to sync to disk before a change counts: file and directory, the file, or nothing.");
    p.optional("largest_megabytes", largest_megabytes, "Largest file that can be changed.",
               {.min = 1, .max = 16'384});
  }
};

}  // namespace helve
