// A patch as plain values, the same for every form in which it can be written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helve {

struct PatchLine {
  char op = ' ';     // ' ' kept, '-' removed, '+' added
  std::string text;  // without its \n; a \r before that is part of it
  bool has_newline = true;
  bool operator==(const PatchLine&) const = default;
};

struct Hunk {
  // First line of the old text that the hunk covers, counting from 1; 0 when the patch does not say.
  // A hunk without kept and removed lines goes in before that line.
  std::size_t old_start = 0;
  std::vector<PatchLine> lines = {};
  std::string section = {};  // what stood behind the second @@; for people
  std::vector<std::string> anchors =
      {};  // lines, outermost first, behind which the place is to be looked for
  bool at_end_of_file = false;
  std::size_t patch_line = 0;  // where it begins in the patch, counting from 1
  bool operator==(const Hunk&) const = default;
};

enum class PatchKind { kModify, kCreate, kDelete, kRename, kCopy };

struct FilePatch {
  PatchKind kind = PatchKind::kModify;
  std::string old_path = {};              // empty when the file is created
  std::string new_path = {};              // empty when it is deleted
  std::optional<unsigned> old_mode = {};  // as git writes them: 0100644, 0100755, 0120000 for a symlink
  std::optional<unsigned> new_mode = {};
  std::vector<Hunk> hunks = {};
  std::size_t patch_line = 0;
  bool operator==(const FilePatch&) const = default;

  [[nodiscard]] const std::string& path() const { return new_path.empty() ? old_path : new_path; }
};

}  // namespace helve
