// Reads the lines of one unified hunk, by its header's counts or, where those are wrong, by its looks.
#pragma once

#include "workspace/patch_text.h"

namespace helve {

// Reads the hunk whose @@ line is at `at` and moves `at` behind it. `name` is how messages call the hunk:
// "hunk 2 of src/a.cc". Sentences about what was mended go to `notes`.
[[nodiscard]] Expected<Hunk> parse_unified_hunk(const PatchText& text, std::size_t& at,
                                                const std::string& name, const PatchParseOptions& options,
                                                std::vector<std::string>& notes);

// A file header of the plain form begins here: a --- line and a +++ line.
[[nodiscard]] bool is_plain_header(const PatchText& text, std::size_t at);

// Only the last line of the old and of the new text may lack its newline. Says which line breaks that.
[[nodiscard]] const PatchLine* misplaced_no_newline_mark(const Hunk& hunk);

}  // namespace helve
