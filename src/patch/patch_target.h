// The text that a patch is applied to, indexed for finding the lines of hunks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patch/diff_intern.h"
#include "patch/patch_parse.h"

namespace helve::patch {

// How similar a line of the patch and one of the file must be. Each tier includes those before it.
enum class MatchTier {
  kExact,
  kLineEndings,    // ignores \r at the end and a missing last newline
  kTrailingSpace,  // also ignores trailing whitespace of kept lines
  // Of all lines, and only for hunks without line numbers:
  kAnyTrailingSpace,
  kSurroundingSpace,  // also ignores the indentation
  kPunctuation,       // also takes typographic quotes, dashes and spaces for plain ones
};

// Consecutive lines that a hunk expects or produces.
struct HunkPattern {
  std::vector<const PatchLine*> lines;
  std::vector<std::uint32_t> ids;
  bool ends_file = false;  // fits only at the end of the file

  [[nodiscard]] std::size_t size() const { return lines.size(); }
};

// Refers to the text and the patch, which must outlive it. Searches share one work budget, so that a
// malicious patch ends in is_exhausted() and not in quadratic time.
class PatchTarget {
 public:
  PatchTarget(std::string_view text, const FilePatch& patch);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t line_count() const { return starts_.size() - 1; }
  [[nodiscard]] std::size_t offset(std::size_t line) const { return starts_[line]; }
  // With its line break.
  [[nodiscard]] std::string_view line(std::size_t at) const {
    return text_.substr(starts_[at], starts_[at + 1] - starts_[at]);
  }

  // The hunk's kept and removed lines without the first `lead` and the last `trail` ones, which must be kept
  // lines.
  [[nodiscard]] HunkPattern old_side(const Hunk& hunk, std::size_t lead = 0, std::size_t trail = 0) const;
  // The lines that the hunk produces.
  [[nodiscard]] HunkPattern new_side(const Hunk& hunk) const;

  [[nodiscard]] bool matches(const HunkPattern& pattern, std::size_t at, MatchTier tier);
  // All places, ascending. The pattern must not be empty.
  [[nodiscard]] std::vector<std::size_t> find_all(const HunkPattern& pattern, MatchTier tier);
  // Lines at or below `from` that are equal to the text; if there are none, except for trailing whitespace,
  // then for any surrounding one, then for typographic characters.
  [[nodiscard]] std::vector<std::size_t> find_anchor(std::string_view anchor, std::size_t from);

  [[nodiscard]] bool is_exhausted() const { return work_left_ < 0; }

 private:
  [[nodiscard]] std::span<const std::uint32_t> places_of(std::uint32_t id) const;
  [[nodiscard]] bool same(std::size_t at, const PatchLine& line, MatchTier tier);
  [[nodiscard]] std::vector<std::size_t> find_ids(std::span<const std::uint32_t> wanted);
  [[nodiscard]] std::vector<std::size_t> find_forms(const HunkPattern& pattern, MatchTier tier);
  void add_lines(HunkPattern& pattern, const Hunk& hunk, char left_out) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;
  LineInterner interner_;                   // of the patch's lines without trailing whitespace
  std::vector<std::uint32_t> ids_;          // per line of the text; kNone when the patch has no such line
  std::vector<std::uint32_t> first_place_;  // per id, where its lines begin in places_
  std::vector<std::uint32_t> places_;
  std::map<MatchTier, std::vector<std::string>> forms_;  // the lines of the text as these tiers compare them
  std::int64_t work_left_;
};

}  // namespace helve::patch
