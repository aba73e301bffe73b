// Parses patches: git-style and plain unified diffs, and the *** Begin Patch form of Codex's apply_patch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::patch {

// A patch as plain values, the same for every form.
struct PatchLine {
  char op = ' ';     // ' ' kept, '-' removed, '+' added
  std::string text;  // without its \n; a \r before that is part of it
  bool has_newline = true;
  bool operator==(const PatchLine&) const = default;
};

struct Hunk {
  // The first old line that the hunk covers, counting from 1; 0 when the patch has no line numbers. A hunk
  // without kept and removed lines is inserted before that line.
  std::size_t old_start = 0;
  // The first old and new line as the header writes them; 0 also for an empty range at the start of the file.
  std::size_t header_old = 0;
  std::size_t header_new = 0;
  std::vector<PatchLine> lines = {};
  std::string section = {};  // the text after the second @@
  // Lines, outermost first, after which to search for the place.
  std::vector<std::string> anchors = {};
  bool at_end_of_file = false;
  std::size_t patch_line = 0;  // its line in the patch, counting from 1
  bool operator==(const Hunk&) const = default;
};

enum class PatchKind { kModify, kCreate, kDelete, kRename, kCopy };

// A unified diff describes all files as they were before it, so its renames and copies take what was there
// then. The parts of a Begin Patch are applied one after the other.
enum class PatchForm { kUnified, kBeginPatch };

struct FilePatch {
  PatchForm form = PatchForm::kUnified;
  PatchKind kind = PatchKind::kModify;
  std::string old_path = {};              // empty when the file is created
  std::string new_path = {};              // empty when it is deleted
  std::optional<unsigned> old_mode = {};  // as git writes them: 0100644, 0100755, 0120000 for a symlink
  std::optional<unsigned> new_mode = {};
  std::vector<Hunk> hunks = {};
  // kModify, but `@@ -0,0` says that the file is new or empty, although both names are the same.
  bool may_create = false;
  // Another name in the header, without a word about a rename: if that file exists, it is unclear which of
  // the two is meant.
  std::string other_path = {};
  std::size_t patch_line = 0;
  bool operator==(const FilePatch&) const = default;

  [[nodiscard]] const std::string& path() const { return new_path.empty() ? old_path : new_path; }
};

struct PatchParseOptions {
  // If a hunk's header miscounts its lines or has no line numbers, use the lines if they are unambiguous.
  bool lenient_counts = true;
};

struct Patch {
  std::vector<FilePatch> files;
  std::vector<std::string> notes;  // what was corrected or ignored, each a sentence
};

[[nodiscard]] Error two_files_error(std::size_t patch_line, const std::string& one, const std::string& other);

// Does not access the disk: the caller checks whether the paths exist and may be changed. Text around the
// patch is ignored. Binary patches, context diffs and merge diffs are refused.
[[nodiscard]] Expected<Patch> parse_patch(std::string_view text, const PatchParseOptions& options = {});

}  // namespace helve::patch
