// Reads patches: git-style and plain unified diffs, and the *** Begin Patch form of Codex's apply_patch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/patch.h"

namespace helve {

struct PatchParseOptions {
  // Where a hunk's header miscounts its lines or has no line numbers, go by the lines, if they leave no
  // doubt.
  bool lenient_counts = true;
};

struct Patch {
  std::vector<FilePatch> files;
  std::vector<std::string> notes;  // what was mended or ignored, each a sentence
};

// Nothing is looked up on disk: whether the paths exist or may be touched is for the caller to see.
// Text around the patch is ignored. Binary patches, context diffs and merge diffs are refused.
[[nodiscard]] Expected<Patch> parse_patch(std::string_view text, const PatchParseOptions& options = {});

}  // namespace helve
