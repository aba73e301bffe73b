// Line differences between two texts, as a list of edits and as unified diff text.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace helve::patch {

// A run of whole lines. A line ends after its \n; a \r before it belongs to the line.
struct LineSpan {
  std::size_t first_line = 0;  // counting from 0
  std::size_t line_count = 0;
  std::size_t offset = 0;  // of the first byte
  std::size_t bytes = 0;

  [[nodiscard]] std::size_t end_line() const { return first_line + line_count; }
  [[nodiscard]] std::size_t end_offset() const { return offset + bytes; }
  bool operator==(const LineSpan&) const = default;
};

// The lines `before` were replaced by the lines `after`; one of the two may be empty.
struct LineEdit {
  LineSpan before;
  LineSpan after;
  bool operator==(const LineEdit&) const = default;
};

// The edits that turn one text into the other, in order, with at least one common line between neighbours.
// The texts may contain any bytes. Time and memory are linear except for a bounded search. If that gives up
// (large regions of frequent lines with little in common), the edits are correct but larger than necessary.
[[nodiscard]] std::vector<LineEdit> diff_lines(std::string_view old_text, std::string_view new_text);

struct DiffOptions {
  // Relative paths without a/ and b/. An empty one means /dev/null: the file was created or deleted. If both
  // are empty, the two header lines are left out.
  std::string_view old_path = {};
  std::string_view new_path = {};
  std::size_t context_lines = 3;
  std::size_t lines_before = 0;  // in both files, if the texts are only parts of them
  // Limits of the hunks' text. The last hunk is cut where a limit is reached.
  std::size_t max_lines = std::numeric_limits<std::size_t>::max();
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
};

struct UnifiedDiff {
  std::string text;             // empty when the texts are equal
  std::size_t added_lines = 0;  // of the whole difference, including lines left out
  std::size_t removed_lines = 0;
  std::size_t lines_left_out = 0;  // lines of diff text beyond the limits, including hunk headers

  [[nodiscard]] bool is_cut() const { return lines_left_out > 0; }
};

// The difference in the format of `git diff`. `git apply` and `patch -p1` accept it unless it was cut.
[[nodiscard]] UnifiedDiff unified_diff(std::string_view old_text, std::string_view new_text,
                                       const DiffOptions& options = {});

}  // namespace helve::patch
