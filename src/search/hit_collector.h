// Turns the hits in a file into the lines of an answer: numbers, context, shortened lines, limits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "search/grep.h"
#include "search/line_search.h"

namespace helve::search {

// Maximum number of matches reported per line.
inline constexpr std::size_t kMostSubmatches = 32;

// Collects the hits of one file, whose text arrives whole or in pieces of whole lines. Not thread-safe.
class HitCollector {
 public:
  HitCollector(const GrepQuery& query, FoundFile& file) : query_(query), file_(file) {}

  // Adds a hit in the current text. Hits must be added in order.
  void add(std::string_view text, const LineSearch::Hit& hit, LineSearch& search);
  // Skips a hit that an earlier answer contained. Context for the next hit begins after it.
  void pass(const LineSearch::Hit& hit) { shown_ = std::max(shown_, hit.end + 1); }
  // Counts hits without keeping their lines.
  void count(std::size_t hits) { file_.matches += hits; }
  // Returns the number of the line that begins at `place`.
  [[nodiscard]] std::size_t line_number(std::string_view text, std::size_t place);
  // Call after the last hit of a text. Adds the context that follows it.
  void finish(std::string_view text);
  // Call before the first `bytes` of the text are dropped.
  void drop(std::string_view text, std::size_t bytes);
  // The earliest place where context for a hit at `end` may begin. Text before it can be dropped.
  [[nodiscard]] std::size_t context_begin(std::string_view text, std::size_t end) const;

 private:
  void add_context(std::string_view text, std::size_t begin, std::size_t end);

  const GrepQuery& query_;
  FoundFile& file_;
  std::size_t counted_ = 0;       // line breaks are counted up to here
  std::size_t lines_before_ = 0;  // number of line breaks before `counted_`
  std::size_t shown_ = 0;         // text before this is in the answer or will never be
  std::size_t after_left_ = 0;    // lines of context still to add after the last hit
};

// Keeps the first `most` hits and their context; removes the rest.
void keep_first(FoundFile& file, std::size_t most, std::size_t lines_after);

// Sets the text and the sizes of `found` from a whole line. Drops a trailing \r and shortens the line to at
// most `longest` bytes around the first match. Never splits a character; `…` marks omitted text.
void show_line(FoundLine& found, std::string_view line, std::size_t longest);

// Adds the files of a search to its answer until the answer is full. One thread at a time may add files;
// remaining() may be called from any thread.
class AnswerBuilder {
 public:
  AnswerBuilder(const GrepQuery& query, GrepAnswer& answer)
      : query_(query), answer_(answer), remaining_(query.most_matches) {}

  // How many more hits fit, or how many more files if the query wants files.
  [[nodiscard]] std::size_t remaining() const { return remaining_; }

  // Returns false when the answer is full.
  bool add(FoundFile file) {
    if (file.matches == 0 && query_.wanted != GrepQuery::Wanted::kFilesWithout) return true;
    if (query_.wanted != GrepQuery::Wanted::kTotals && remaining_ == 0) {
      answer_.more = true;
      return false;
    }
    if (query_.wanted == GrepQuery::Wanted::kMatches && file.matches > remaining_) {
      keep_first(file, remaining_, query_.lines_after);
      answer_.more = true;
    }
    answer_.matches += file.matches;
    ++answer_.files_found;
    if (query_.wanted == GrepQuery::Wanted::kTotals) return true;
    remaining_ -= query_.wanted == GrepQuery::Wanted::kMatches ? file.matches : 1;
    answer_.files.push_back(std::move(file));
    return !answer_.more;
  }

 private:
  const GrepQuery& query_;
  GrepAnswer& answer_;
  std::atomic<std::size_t> remaining_;
};

}  // namespace helve::search
