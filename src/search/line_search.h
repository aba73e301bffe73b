// Finds the lines of a text that match, and where on them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "regex/regex.h"
#include "search/grep.h"
#include "search/pattern.h"
#include "search/stop_watch.h"

namespace helve::search {

// For one thread at a time; pattern and watch must outlive it.
class LineSearch {
 public:
  LineSearch(const Pattern& pattern, StopWatch& watch);

  // A line with a match, without its line break. With patterns that go over lines: from the start of the line
  // on which a match begins to the end of the line on which the last match that begins there ends.
  struct Hit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;   // its matches begin here or later
    std::size_t resume = 0;  // where the search for the next one begins
  };
  // The first one at or after `from`: the start of a line, or where the last hit says.
  [[nodiscard]] std::optional<Hit> next(std::string_view text, std::size_t from);
  // How many there are at or after `from`, if that can be told without finding each.
  [[nodiscard]] std::optional<std::size_t> count_at_once(std::string_view text, std::size_t from) const;
  // To be said before the first question about a text.
  void begin_text(std::string_view text);
  // The matches of a hit, the first `most` of them.
  void find_matches(std::string_view text, const Hit& hit, std::size_t most, std::vector<Submatch>& out);

 private:
  [[nodiscard]] std::optional<Hit> next_with_scan(std::string_view text, std::size_t from);
  [[nodiscard]] std::optional<Hit> next_with_automaton(std::string_view text, std::size_t from);
  [[nodiscard]] std::optional<Hit> next_across_lines(std::string_view text, std::size_t from);

  const Pattern& pattern_;
  StopWatch& watch_;
  std::size_t last_match_end_ = std::string_view::npos;  // of a match that goes over lines and is not empty
  regex::Finder finder_;
};

// The line that the byte at `place` is on, or that ends there. It does not begin before `not_before`.
[[nodiscard]] LineSearch::Hit line_around(std::string_view text, std::size_t place,
                                          std::size_t not_before = 0);
// Where the line at `from` ends: at its break, or with the text.
[[nodiscard]] std::size_t line_end(std::string_view text, std::size_t from);

}  // namespace helve::search
