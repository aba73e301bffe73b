// Finds the lines of a text that match, and the matches on them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "regex/regex.h"
#include "search/grep.h"
#include "search/pattern.h"

namespace helve::search {

// Interrupts a search that is deep inside one text. Polls `should_stop` from its own thread and sets a flag.
// The thread starts only when a piece of work may take long; most searches end earlier. Used by all threads
// of one search.
class StopMonitor {
 public:
  explicit StopMonitor(const ShouldStop& should_stop) : should_stop_(should_stop) {}
  StopMonitor(const StopMonitor&) = delete;
  StopMonitor& operator=(const StopMonitor&) = delete;

  // Becomes true soon after `should_stop` does, if the thread was started.
  [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }
  // Call before work that does not check `should_stop` itself. `steps` is bytes to read times automaton
  // states.
  void start_if_long(std::size_t steps);

 private:
  void poll(const std::stop_token& done);

  const ShouldStop& should_stop_;
  std::atomic<bool> flag_ = false;
  std::once_flag started_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last member, so that it is joined first
};

// Not thread-safe. Pattern and monitor must outlive it.
class LineSearch {
 public:
  LineSearch(const Pattern& pattern, StopMonitor& monitor);

  // A line with a match, without its line break. If matches may span lines, it reaches from the line where a
  // match begins to the end of the line where the last match that begins there ends.
  struct Hit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;   // no match begins before this
    std::size_t resume = 0;  // where to search for the next hit
  };
  // Finds the first hit at or after `from`, which is the start of a line or `resume` of the last hit.
  [[nodiscard]] std::optional<Hit> next(std::string_view text, std::size_t from);
  // Counts the hits at or after `from`; nullopt if that requires finding each one.
  [[nodiscard]] std::optional<std::size_t> count_at_once(std::string_view text, std::size_t from) const;
  // Call before the first search in a text.
  void begin_text(std::string_view text);
  // Finds the first `most` matches of a hit.
  void find_matches(std::string_view text, const Hit& hit, std::size_t most, std::vector<Submatch>& out);

 private:
  [[nodiscard]] std::optional<Hit> next_with_scan(std::string_view text, std::size_t from);
  [[nodiscard]] std::optional<Hit> next_with_automaton(std::string_view text, std::size_t from);
  [[nodiscard]] std::optional<Hit> next_across_lines(std::string_view text, std::size_t from);

  const Pattern& pattern_;
  StopMonitor& monitor_;
  std::size_t last_match_end_ = std::string_view::npos;  // of the last non-empty match that may span lines
  regex::Finder finder_;
};

// The line that contains the byte at `place` or ends there. It does not begin before `not_before`.
[[nodiscard]] LineSearch::Hit line_around(std::string_view text, std::size_t place,
                                          std::size_t not_before = 0);
// The offset of the line break that ends the line at `from`, or the end of the text.
[[nodiscard]] std::size_t line_end(std::string_view text, std::size_t from);

}  // namespace helve::search
