#include "search/line_search.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>

namespace helve::search {
namespace {

// The text including the line break at `end`, so that look-arounds see it.
std::string_view up_to_break(std::string_view text, std::size_t end) {
  return text.substr(0, std::min(end + 1, text.size()));
}

// About one second if every step is slow.
constexpr std::size_t kLong = 100'000'000;
constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

std::size_t line_end(std::string_view text, std::size_t from) {
  const void* found =
      from < text.size() ? std::memchr(text.data() + from, '\n', text.size() - from) : nullptr;
  return found == nullptr ? text.size()
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

LineSearch::Hit line_around(std::string_view text, std::size_t place, std::size_t not_before) {
  const void* found = ::memrchr(text.data() + not_before, '\n', place - not_before);
  const std::size_t begin = found == nullptr
                                ? not_before
                                : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
  const std::size_t end = line_end(text, place);
  return {begin, end, begin, end + 1};
}

LineSearch::LineSearch(const Pattern& pattern, StopMonitor& monitor)
    : pattern_(pattern), monitor_(monitor), finder_(pattern.regex, &monitor.flag()) {}

void LineSearch::begin_text(std::string_view text) {
  last_match_end_ = std::string_view::npos;
  // A multi-line match may read the whole text for each place where it could begin.
  const std::size_t steps = text.size() * (pattern_.across_lines ? text.size() : pattern_.states);
  if (pattern_.whole_pattern.empty()) monitor_.start_if_long(steps);
}

std::optional<LineSearch::Hit> LineSearch::next(std::string_view text, std::size_t from) {
  if (from >= text.size()) return {};
  if (pattern_.across_lines) return next_across_lines(text, from);
  return pattern_.scan ? next_with_scan(text, from) : next_with_automaton(text, from);
}

std::optional<LineSearch::Hit> LineSearch::next_with_scan(std::string_view text, std::size_t from) {
  while (const auto place = pattern_.scan->find(text, from)) {
    const Hit line = line_around(text, place->begin, from);
    if (pattern_.scan_finds_matches) return line;
    const std::string_view seen = up_to_break(text, line.end);
    const auto end = finder_.find_end(seen, line.begin);
    if (end && *end <= line.end) return line;
    from = line.end + 1;
    if (from >= text.size()) break;
  }
  return {};
}

std::optional<std::size_t> LineSearch::count_at_once(std::string_view text, std::size_t from) const {
  if (!pattern_.scan_finds_matches || pattern_.across_lines) return {};
  return pattern_.scan->count_lines(text, from);
}

std::optional<LineSearch::Hit> LineSearch::next_with_automaton(std::string_view text, std::size_t from) {
  const auto end = finder_.find_end(text, from);
  if (!end) return {};
  const Hit line = line_around(text, *end, from);
  if (line.begin >= text.size()) return {};  // there is no line after the last line break
  return line;
}

std::optional<LineSearch::Hit> LineSearch::next_across_lines(std::string_view text, std::size_t from) {
  if (pattern_.scan && !pattern_.scan->find(text, from)) return {};
  auto match = finder_.find(text, from);
  // An empty match directly after another match is part of that match.
  if (match && match->begin == match->end && match->begin == last_match_end_)
    match = finder_.find(text, from + 1);
  if (!match || match->begin >= text.size()) return {};
  const Hit first = line_around(text, match->begin);
  Hit hit = first;
  hit.first = match->begin;
  // Later matches that begin on the same line belong to the same hit.
  while (match && match->begin <= first.end) {
    const std::size_t last = match->end > match->begin ? match->end - 1 : match->end;
    hit.end = std::max(hit.end, line_end(text, last));
    hit.resume = match->end > match->begin ? match->end : match->end + 1;
    if (match->end > match->begin) last_match_end_ = match->end;
    if (hit.resume > first.end || hit.resume >= text.size()) break;
    match = finder_.find(text, hit.resume);
  }
  return hit;
}

void LineSearch::find_matches(std::string_view text, const Hit& hit, std::size_t most,
                              std::vector<Submatch>& out) {
  const std::string_view seen = pattern_.across_lines ? text : up_to_break(text, hit.end);
  const std::size_t last_begin = pattern_.across_lines ? line_end(text, hit.begin) : hit.end;
  // If \r\n ends a line, there is no empty match between the two bytes.
  const bool splits_ending = pattern_.crlf && last_begin > hit.begin && text[last_begin - 1] == '\r';
  std::size_t from = hit.first;
  std::size_t last_end = std::string_view::npos;
  while (out.size() < most && from <= seen.size()) {
    std::optional<regex::Span> match;
    if (!pattern_.whole_pattern.empty()) {
      const auto place = pattern_.scan->find(seen, from);
      if (place) match = regex::Span{place->begin, place->end};
    } else {
      match = finder_.find(seen, from);
    }
    if (!match || match->begin > last_begin) break;
    const bool empty = match->begin == match->end;
    if (empty && splits_ending && match->begin == last_begin) break;
    // An empty match directly after another match is part of that match.
    if (!empty || match->begin != last_end) out.push_back({match->begin - hit.begin, match->end - hit.begin});
    last_end = match->end;
    from = empty ? match->end + 1 : match->end;
  }
}

void StopMonitor::start_if_long(std::size_t steps) {
  if (steps < kLong) return;
  std::call_once(started_, [this] {
    try {
      thread_ = std::jthread([this](const std::stop_token& done) { poll(done); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // Without the thread, the search checks `should_stop` only between files and hits.
    }
  });
}

void StopMonitor::poll(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested() && !flag_) {
    ended_.wait_for(lock, done, kPause, [] { return false; });
    if (should_stop_()) flag_ = true;
  }
}

}  // namespace helve::search
