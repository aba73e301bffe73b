// The files that a patch touches, in memory, after each of its parts. Nothing is written yet.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "helve/context.h"
#include "patch/patch_apply.h"
#include "patch/patch_parse.h"
#include "toolkit/file_change.h"

namespace helve::tools {

// The effect of one part of a patch.
struct PatchedFile {
  patch::PatchKind kind = patch::PatchKind::kModify;
  std::string path;
  std::string old_path = {};  // of renames and copies
  std::vector<patch::HunkReport> hunks = {};
  bool sets_mode = false;  // to a mode that a new file would not have
};

// Owned by one call. The changes point into it.
class PatchOverlay {
 public:
  PatchOverlay(const Context& context, const patch::Patch& patch);

  // Applies one part on top of those before it. Errors name the file.
  [[nodiscard]] Expected<PatchedFile> apply(const patch::FilePatch& patch);
  // The changes to write, in no particular order.
  [[nodiscard]] std::vector<changes::FileChange> changes() const;

  struct FileNow {
    std::string path;
    const std::string* before = nullptr;  // null: there was none
    const std::string* after = nullptr;   // null: removed
    std::string old_path = {};            // when it was moved here
  };
  [[nodiscard]] std::vector<FileNow> files() const;

 private:
  [[nodiscard]] Expected<PatchedFile> apply_kind(const patch::FilePatch& patch);
  // One path: its file on disk, and its future content.
  struct Entry {
    std::optional<toolkit::LoadedFile> on_disk;
    std::optional<std::string> content;  // nothing: no file
    std::string moved_from = {};         // name of the file that moves here
    bool moved_away = false;
    bool is_link = false;
    bool is_written = false;  // by a part that did not move it
    bool is_made = false;     // created or copied here
    std::optional<mode_t> mode = {};

    // A file that stands where another one was cannot simply be renamed.
    [[nodiscard]] bool is_refilled() const {
      return on_disk && content && (moved_away || !moved_from.empty());
    }
  };

  // The file that a part starts from, with its hunks applied.
  struct Source {
    Entry* file;
    patch::PatchedText patched;
    std::optional<mode_t> mode;
  };

  [[nodiscard]] std::string name_of(const std::string& path) const;
  Expected<Entry*> entry(const std::string& path);
  Expected<Entry*> entry(const patch::FilePatch& patch, const std::string& path);
  [[nodiscard]] bool is_moved_as_file(const Entry& file) const;
  Expected<Source> patched_source(const patch::FilePatch& patch);
  Expected<Entry*> free_target(const patch::FilePatch& patch);
  Expected<PatchedFile> modify(const patch::FilePatch& patch);
  Expected<PatchedFile> create(const patch::FilePatch& patch);
  Expected<PatchedFile> remove(const patch::FilePatch& patch);
  Expected<PatchedFile> rename(const patch::FilePatch& patch);
  Expected<PatchedFile> copy(const patch::FilePatch& patch);

  const Context& context_;
  std::set<std::string> leaving_;  // names of files that a unified diff renames
  std::map<std::string, Entry> entries_;
};

}  // namespace helve::tools
