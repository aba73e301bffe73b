// Prepares a change set: resolves, reads and compares everything before any file is changed.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changes/changes.h"
#include "helve/error.h"
#include "patch/splice.h"
#include "workspace/root.h"

namespace helve::changes {

// The resolved form of a path whose directories may not exist yet.
struct ResolvedPlace {
  std::string path;                              // relative to the root, without symlinks
  std::vector<std::string> missing_directories;  // outermost first
};

[[nodiscard]] Expected<ResolvedPlace> resolve_place(const workspace::Root& root, std::string_view path);

// Returns the filter with its path resolved.
[[nodiscard]] Expected<ChangeFilter> resolve_filter(const workspace::Root& root, const ChangeFilter& filter);

// The places of one change; only a move has `to`.
struct ChangePlaces {
  ResolvedPlace from;
  std::optional<ResolvedPlace> to = {};
};

// Resolves all paths of a change set. INVALID_ARGUMENT when one occurs twice, or is a symlink to be removed
// or renamed.
[[nodiscard]] Expected<std::vector<ChangePlaces>> resolve_places(const workspace::Root& root,
                                                                 std::span<const FileChange> changes);

// How the requested mode of a new file is applied.
enum class NewFileMode { kLessUmask, kExactly };

// One file, ready to be changed. Owned by one thread. The bytes that the change points to must outlive it.
struct PlannedFile {
  FileChange::Kind kind = FileChange::Kind::kWrite;
  ChangePlaces places;
  workspace::ExpectedState expected = workspace::ExpectedState::absent();
  std::optional<struct stat> status = {};        // of the old file
  std::unique_ptr<const std::string> read = {};  // the old content, if it was read here
  std::string_view old_content = {};
  std::vector<std::string_view> content = {};  // the new content; empty for a removal
  patch::Splice splice = {};
  std::optional<mode_t> mode = {};  // as requested, if it differs from the old one
  NewFileMode new_file_mode = NewFileMode::kLessUmask;
  HardLinks hard_links = HardLinks::kRefuse;
  bool only_in_place = false;  // it has other hard links, or cannot be replaced

  [[nodiscard]] bool in_place() const {
    return kind == FileChange::Kind::kWrite && status && only_in_place && !splice.parts.empty() &&
           hard_links == HardLinks::kWriteInPlace;
  }
  [[nodiscard]] bool changes_nothing() const {
    return kind == FileChange::Kind::kWrite && status && splice.parts.empty() && !mode;
  }
};

// CONFLICT when a file is not as expected.
[[nodiscard]] Expected<PlannedFile> plan_file(const workspace::Root& root, const FileChange& change,
                                              ChangePlaces places, NewFileMode new_file_mode);

// Opens a place whose directories exist. CONFLICT when the path now resolves to another place.
[[nodiscard]] Expected<workspace::WriteTarget> open_place(const workspace::Root& root,
                                                          const std::string& resolved_path);

}  // namespace helve::changes
