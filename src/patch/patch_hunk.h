// Parses one unified hunk by its header's counts or, if those are wrong, by the form of its lines.
#pragma once

#include "patch/patch_text.h"

namespace helve::patch {

// Parses the hunk whose @@ line is at `at` and moves `at` behind it. `name` is the hunk's name in messages:
// "hunk 2 of src/a.cc". Corrections are reported in `notes`.
[[nodiscard]] Expected<Hunk> parse_unified_hunk(const PatchText& text, std::size_t& at,
                                                const std::string& name, const PatchParseOptions& options,
                                                std::vector<std::string>& notes);

// True if a plain file header begins here: a --- line and a +++ line.
[[nodiscard]] bool is_plain_header(const PatchText& text, std::size_t at);

// True if a +++ line is followed by a hunk, without a --- line before it.
[[nodiscard]] bool is_half_header(const PatchText& text, std::size_t at);

// Returns a line without newline that is not the last line of the old or new text; nullptr when there is
// none.
[[nodiscard]] const PatchLine* misplaced_no_newline_mark(const Hunk& hunk);

}  // namespace helve::patch
