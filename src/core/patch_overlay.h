// The files that a patch touches, as they would be after each of its parts, before anything is written.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/file_change.h"
#include "helve/context.h"
#include "workspace/patch.h"
#include "workspace/patch_apply.h"

namespace helve {

// What one part of a patch did.
struct PatchedFile {
  PatchKind kind = PatchKind::kModify;
  std::string path;
  std::string old_path = {};  // of renames and copies
  std::vector<HunkReport> hunks = {};
  bool sets_mode = false;  // to something that a new file would not have
};

// Owned by one call. The changes point into it.
class PatchOverlay {
 public:
  explicit PatchOverlay(const Context& context) : context_(context) {}

  // Applies one part on top of those before it. Errors name the file.
  [[nodiscard]] Expected<PatchedFile> apply(const FilePatch& patch);
  // What has to be written, in no particular order.
  [[nodiscard]] std::vector<FileChange> changes() const;

  struct FileNow {
    std::string path;
    const std::string* before = nullptr;  // null: there was none
    const std::string* after = nullptr;   // null: there is none any more
    std::string old_path = {};            // when it was moved here
  };
  [[nodiscard]] std::vector<FileNow> files() const;

 private:
  [[nodiscard]] Expected<PatchedFile> apply_kind(const FilePatch& patch);
  // One name: what is on disk under it, and what will be.
  struct Entry {
    std::optional<LoadedFile> on_disk;
    std::optional<std::string> content;  // nothing: no file
    std::string moved_from = {};         // the file that comes here by a move; its bytes are that one's
    bool moved_away = false;
    std::optional<mode_t> mode = {};
  };

  // The file that a part starts from, with its hunks applied.
  struct Source {
    Entry* file;
    PatchedText patched;
    std::optional<mode_t> mode;
  };

  Expected<Entry*> entry(const std::string& path);
  Expected<Source> patched_source(const FilePatch& patch);
  Expected<Entry*> free_target(const FilePatch& patch);
  Expected<PatchedFile> modify(const FilePatch& patch);
  Expected<PatchedFile> create(const FilePatch& patch);
  Expected<PatchedFile> remove(const FilePatch& patch);
  Expected<PatchedFile> rename(const FilePatch& patch);
  Expected<PatchedFile> copy(const FilePatch& patch);

  const Context& context_;
  std::map<std::string, Entry> entries_;
};

}  // namespace helve
