// Applies the hunks of a patch to the text of one file, all of them or none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/patch.h"

namespace helve {

struct PatchApplyOptions {
  // Most context lines that may be ignored at either end of a hunk when it fits nowhere as it is.
  std::size_t max_fuzz = 2;
  // Accept a hunk whose context differs from the file in trailing whitespace only.
  bool ignore_trailing_space = true;
};

struct HunkReport {
  std::size_t hunk = 1;       // its place in the patch, counting from 1
  std::size_t line = 1;       // of the new text, where the hunk begins
  std::ptrdiff_t offset = 0;  // lines between the stated place in the old text and the true one
  std::size_t fuzz = 0;       // context lines ignored at the end where more were
  std::string note = {};      // what else to know; empty when all is as stated
  bool operator==(const HunkReport&) const = default;
};

struct PatchedText {
  std::string text;
  std::vector<HunkReport> hunks;
};

// Every hunk goes to its stated line, or else to the nearest place where all its old lines are; only then is
// context ignored, and only where that leaves a single place. A hunk without line numbers needs a single
// place from the start. Line endings are not compared; added lines take those of the lines around them, and
// no byte outside the changed lines changes. A CONFLICT tells of every hunk that does not fit what was found
// instead. Pass an empty text for a file that is created.
[[nodiscard]] Expected<PatchedText> apply_hunks(std::string_view old_text, const FilePatch& patch,
                                                const PatchApplyOptions& options = {});

}  // namespace helve
