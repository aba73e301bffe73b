// The text that a patch is applied to, made ready for finding the lines of hunks in it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workspace/diff_intern.h"
#include "workspace/patch.h"

namespace helve {

// How alike a line of the patch and one of the file must be. Each tier includes those before it.
enum class MatchTier {
  kExact,
  kLineEndings,    // \r before the end and a missing last newline do not count
  kTrailingSpace,  // nor does whitespace at the end of lines that the hunk keeps
};

// Consecutive lines that a hunk expects, or would leave.
struct HunkPattern {
  std::vector<const PatchLine*> lines;
  std::vector<std::uint32_t> ids;
  bool ends_file = false;  // fits only where its last line is the file's last

  [[nodiscard]] std::size_t size() const { return lines.size(); }
};

// Refers to the text and the patch, which must outlive it. Searches share one budget of work: a patch made
// to be slow runs into is_exhausted(), not into quadratic time.
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

  // The hunk's kept and removed lines without the first `lead` and the last `trail`, which must be kept ones.
  [[nodiscard]] HunkPattern old_side(const Hunk& hunk, std::size_t lead = 0, std::size_t trail = 0) const;
  // The lines that the hunk leaves.
  [[nodiscard]] HunkPattern new_side(const Hunk& hunk) const;

  [[nodiscard]] bool matches(const HunkPattern& pattern, std::size_t at, MatchTier tier);
  // All places, ascending. The pattern must not be empty.
  [[nodiscard]] std::vector<std::size_t> find_all(const HunkPattern& pattern, MatchTier tier);
  // Lines equal to the text but for whitespace around it; without any, lines that contain it.
  [[nodiscard]] std::vector<std::size_t> find_anchor(std::string_view anchor);

  [[nodiscard]] bool is_exhausted() const { return work_left_ < 0; }

 private:
  [[nodiscard]] std::span<const std::uint32_t> places_of(std::uint32_t id) const;
  [[nodiscard]] bool same(std::size_t at, const PatchLine& line, MatchTier tier);
  [[nodiscard]] std::vector<std::size_t> find_ids(std::span<const std::uint32_t> wanted);
  void add_lines(HunkPattern& pattern, const Hunk& hunk, char left_out) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;
  LineInterner interner_;                   // of the patch's lines without the whitespace at their end
  std::vector<std::uint32_t> ids_;          // per line of the text; kNone when the patch has no such line
  std::vector<std::uint32_t> first_place_;  // per id, where its lines begin in places_
  std::vector<std::uint32_t> places_;
  std::int64_t work_left_;
};

}  // namespace helve
