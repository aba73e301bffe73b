// The lines of a patch, and errors about them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "patch/diff_line.h"
#include "patch/patch_parse.h"

namespace helve::patch {

// Lines count from 0 here and from 1 in messages. The text must outlive it.
class PatchText {
 public:
  explicit PatchText(std::string_view text);

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  // Empty after the end.
  [[nodiscard]] std::string_view line(std::size_t at) const {
    return at < lines_.size() ? lines_[at] : std::string_view();
  }
  [[nodiscard]] bool starts(std::size_t at, std::string_view prefix) const {
    return line(at).starts_with(prefix);
  }
  // True if all line breaks of the patch are \r\n, which says nothing about the line endings of the files.
  [[nodiscard]] bool had_crlf() const { return had_crlf_; }
  // Removes a \r from the end of every line.
  void drop_carriage_returns();

  // An INVALID_ARGUMENT error: Patch line 12: <message>
  [[nodiscard]] std::unexpected<Error> problem(std::size_t at, std::string_view message,
                                               std::string hint = {}) const;
  // `text of the line`, shortened, or "the end of the patch".
  [[nodiscard]] std::string quote(std::size_t at) const;

 private:
  std::vector<std::string_view> lines_;
  bool had_crlf_ = false;
};

// @@ -start,count +start,count @@ section
struct HunkHeader {
  std::size_t old_start = 0;
  std::size_t old_count = 1;
  std::size_t new_start = 0;
  std::size_t new_count = 1;
  std::string_view section = {};
};
[[nodiscard]] std::optional<HunkHeader> parse_hunk_header(std::string_view line);

// Adds a sentence unless there are many already.
void add_note(std::vector<std::string>& notes, std::string note);

// The parsers of the two forms; parse_patch chooses.
[[nodiscard]] Expected<Patch> parse_unified(const PatchText& text, const PatchParseOptions& options);
[[nodiscard]] Expected<Patch> parse_begin_patch(const PatchText& text);

}  // namespace helve::patch
