// Applies all hunks of a patch to the text of one file, or none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "patch/patch_parse.h"

namespace helve::patch {

struct PatchApplyOptions {
  // How many context lines may be ignored at either end of a hunk that does not fit otherwise.
  std::size_t max_fuzz = 2;
  // Accept a hunk whose context differs from the file only in trailing whitespace.
  bool ignore_trailing_space = true;
};

struct HunkReport {
  std::size_t hunk = 1;       // its number in the patch, counting from 1
  std::size_t line = 1;       // of the new text, where the hunk begins
  std::ptrdiff_t offset = 0;  // lines between the stated and the actual place in the old text
  std::size_t fuzz = 0;       // context lines ignored, the larger number of both ends
  std::string note = {};      // additional information; empty if it was applied as stated
  bool operator==(const HunkReport&) const = default;
};

struct PatchedText {
  std::string text;
  std::vector<HunkReport> hunks;
};

// Each hunk is applied at its stated line, or else at the nearest place that has all its old lines. Only if
// there is none, context is ignored, and only if that leaves a single place. A hunk without line numbers must
// fit exactly one place. Line endings are not compared; added lines get the endings of the lines around them.
// No byte outside the changed lines changes. A CONFLICT describes every hunk that does not fit and what was
// found instead. Pass an empty text for a new file.
[[nodiscard]] Expected<PatchedText> apply_hunks(std::string_view old_text, const FilePatch& patch,
                                                const PatchApplyOptions& options = {});

}  // namespace helve::patch
