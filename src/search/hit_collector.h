// Turns the hits in one file into the lines that an answer shows: numbers, context, long lines cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "search/grep.h"
#include "search/line_search.h"

namespace helve::search {

// Matches of one line that an answer tells about.
inline constexpr std::size_t kMostSubmatches = 32;

// For one file, which comes as one text or as pieces of whole lines. One thread at a time.
class HitCollector {
 public:
  HitCollector(const GrepQuery& query, FoundFile& file) : query_(query), file_(file) {}

  // A hit in the current text; those of a text come in order.
  void add(std::string_view text, const LineSearch::Hit& hit, LineSearch& search);
  // A hit that was given before: context for the next one begins behind it.
  void pass(const LineSearch::Hit& hit) { shown_ = std::max(shown_, hit.end + 1); }
  // Hits that are only counted.
  void count(std::size_t hits) { file_.matches += hits; }
  // The number of the line that begins at `place`.
  [[nodiscard]] std::size_t line_number(std::string_view text, std::size_t place);
  // All hits of this text are in: what comes after the last one is taken from it.
  void finish(std::string_view text);
  // The text will lose its first `bytes`, which were counted to the end.
  void drop(std::string_view text, std::size_t bytes);
  // Where context for the next hit may begin at the earliest, for those who keep only a part of the text.
  [[nodiscard]] std::size_t context_begin(std::string_view text, std::size_t end) const;

 private:
  void add_context(std::string_view text, std::size_t begin, std::size_t end);

  const GrepQuery& query_;
  FoundFile& file_;
  std::size_t counted_ = 0;       // up to here
  std::size_t lines_before_ = 0;  // there are so many line breaks
  std::size_t shown_ = 0;         // text before this is in the answer or will not be
  std::size_t after_left_ = 0;    // lines of context that the last hit still wants
};

// Leaves the first `most` hits, with the context that belongs to them.
void keep_first(FoundFile& file, std::size_t most, std::size_t context_lines);

// Puts what is shown of a line into it, and how much of it there is: without \r at its end, at most `longest`
// bytes around the first match, whole characters, with marks where something was left out.
void show_line(FoundLine& found, std::string_view line, std::size_t longest);

}  // namespace helve::search
