// A change set made ready: everything resolved, read and compared, and nothing touched yet.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/root.h"
#include "workspace/splice.h"

namespace helve {

// Where a path leads, also where its directories do not exist yet.
struct ResolvedPlace {
  std::string path;                              // beneath the root, free of links
  std::vector<std::string> missing_directories;  // outermost first
};

[[nodiscard]] Expected<ResolvedPlace> resolve_place(const Root& root, std::string_view path);

// With its path resolved.
[[nodiscard]] Expected<ChangeFilter> resolve_filter(const Root& root, const ChangeFilter& filter);

// The places of one change; `to` is of a move alone.
struct ChangePlaces {
  ResolvedPlace from;
  std::optional<ResolvedPlace> to = {};
};

// All paths of a change set. INVALID_ARGUMENT when one occurs twice, or is a link that is to be removed or
// renamed.
[[nodiscard]] Expected<std::vector<ChangePlaces>> resolve_places(const Root& root,
                                                                 std::span<const FileChange> changes);

// How a new file gets the mode that its change asks for.
enum class NewFileMode { kLessUmask, kExactly };

// One file, ready to be changed. Owned by the thread that plans; what the change points to must outlive it.
struct PlannedFile {
  FileChange::Kind kind = FileChange::Kind::kWrite;
  ChangePlaces places;
  ExpectedState expected = ExpectedState::absent();
  std::optional<struct stat> status = {};        // of the old file
  std::unique_ptr<const std::string> read = {};  // the old content where it was read here
  std::string_view old_content = {};
  std::vector<std::string_view> content = {};  // the new one; none of a removal
  Splice splice = {};
  std::optional<mode_t> mode = {};  // as asked for, where it differs from the old one
  NewFileMode new_file_mode = NewFileMode::kLessUmask;
  HardLinks hard_links = HardLinks::kRefuse;

  [[nodiscard]] bool in_place() const {
    return kind == FileChange::Kind::kWrite && status && status->st_nlink > 1 && !splice.parts.empty() &&
           hard_links == HardLinks::kWriteInPlace;
  }
  [[nodiscard]] bool changes_nothing() const {
    return kind == FileChange::Kind::kWrite && status && splice.parts.empty() && !mode;
  }
};

// CONFLICT when a file is not as expected.
[[nodiscard]] Expected<PlannedFile> plan_file(const Root& root, const FileChange& change, ChangePlaces places,
                                              NewFileMode new_file_mode);

// The target for a place whose directories exist. CONFLICT when it leads elsewhere by now.
[[nodiscard]] Expected<WriteTarget> open_place(const Root& root, const std::string& resolved_path);

}  // namespace helve
