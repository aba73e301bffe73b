// Helpers for tests of applying patches: create a patch, apply it and check the outcome.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "patch/patch_apply.h"
#include "patch/patch_parse.h"

namespace helve::patch {

inline FilePatch patch_of(std::string_view text) {
  Expected<Patch> patch = parse_patch(text);
  if (!patch) {
    ADD_FAILURE() << patch.error().message;
    return {};
  }
  return patch->files.front();
}

inline FilePatch hunks(std::string_view text) { return patch_of(concat("--- a/x\n+++ b/x\n", text)); }
inline FilePatch begin_patch(std::string_view text) {
  return patch_of(concat("*** Begin Patch\n*** Update File: x\n", text, "*** End Patch\n"));
}

inline PatchedText applied(std::string_view old_text, const FilePatch& patch,
                           const PatchApplyOptions& options = {}) {
  Expected<PatchedText> result = apply_hunks(old_text, patch, options);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return std::move(*result);
}

inline Error conflict(std::string_view old_text, const FilePatch& patch,
                      const PatchApplyOptions& options = {}) {
  const Expected<PatchedText> result = apply_hunks(old_text, patch, options);
  if (result) {
    ADD_FAILURE() << "applied: " << result->text;
    return {};
  }
  EXPECT_EQ(result.error().code, ErrorCode::kConflict);
  return result.error();
}

inline std::string numbered(int first, int last, std::string_view ending = "\n") {
  std::string text;
  for (int n = first; n <= last; ++n) text += concat("line ", n, ending);
  return text;
}

}  // namespace helve::patch
