// Reads several blocks of lines at once. Each step of an automaton depends on the one before, but the
// processor can execute four independent steps at a time.
#include <algorithm>
#include <array>
#include <cstring>

#include "regex/lazy_dfa.h"

namespace helve::regex {

using namespace dfa;

namespace {

constexpr std::size_t kLanes = 4;
// If special handling is needed more than once per this many bytes, one lane is as fast.
constexpr std::size_t kBytesPerEvent = 24;
// Lanes are tried again after this many times the length was read.
constexpr std::size_t kPause = 16;

// The position after the next \n at or after `at`; 0 if there is none before `end`.
std::size_t line_start_after(std::string_view text, std::size_t at, std::size_t end) {
  const void* place = std::memchr(text.data() + at, '\n', end - at);
  return place == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(place) - text.data()) + 1;
}

}  // namespace

// Reads about `length` bytes, up to the end of a line. Requires that no match contains \n: then every line
// can be read from a start state, and the first lane with a match has the leftmost match. Returns false
// without reading anything if the lines are too long.
bool LazyDfa::read_lanes(Search& search, std::size_t length) {
  const Id line_start = start('\n') & kNumber;
  std::array<Search, kLanes> lanes;
  lanes.fill(search);
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (i > 0) {
      lanes[i].at = lanes[i].counted = lanes[i - 1].limit;
      lanes[i].state = line_start;
    }
    const std::size_t least = search.at + length / kLanes * (i + 1);
    lanes[i].limit =
        line_start_after(search.text, least - 1, std::min(least + length / kLanes, search.limit));
    if (lanes[i].limit == 0) return false;
  }

  const auto* const classes = nfa_->classes().data();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(search.text.data());
  std::size_t events = 0;
  bool together = true;
  while (together) {
    std::size_t left = length;
    for (const Search& lane : lanes) left = std::min(left, lane.limit - lane.at);
    if (left == 0) break;
    const Id* const table = table_.data();
    const auto* const bytes0 = bytes + lanes[0].at;
    const auto* const bytes1 = bytes + lanes[1].at;
    const auto* const bytes2 = bytes + lanes[2].at;
    const auto* const bytes3 = bytes + lanes[3].at;
    Id state0 = lanes[0].state;
    Id state1 = lanes[1].state;
    Id state2 = lanes[2].state;
    Id state3 = lanes[3].state;
    std::size_t read_bytes = 0;
    for (; read_bytes < left; ++read_bytes) {
      const Id next0 = (table + classes[bytes0[read_bytes]])[state0];
      const Id next1 = (table + classes[bytes1[read_bytes]])[state1];
      const Id next2 = (table + classes[bytes2[read_bytes]])[state2];
      const Id next3 = (table + classes[bytes3[read_bytes]])[state3];
      if ((next0 | next1 | next2 | next3) >= kLowestTag) break;
      state0 = next0;
      state1 = next1;
      state2 = next2;
      state3 = next3;
    }
    lanes[0].state = state0;
    lanes[1].state = state1;
    lanes[2].state = state2;
    lanes[3].state = state3;
    for (Search& lane : lanes) lane.at += read_bytes;
    if (read_bytes == left) break;

    ++events;
    for (Search& lane : lanes) {
      // Discarding states would invalidate those of the other lanes.
      together = together && memory() <= max_memory_;
      if (!together) break;
      read<Direction::kForward>(lane, lane.at + 1);
      together = !lane.is_over && !lane.match;
    }
  }

  if (events > length / kLanes / kBytesPerEvent) search.lanes_from = search.at + kPause * length;
  const std::size_t clears = clear_count_;
  for (Search& lane : lanes) {
    // States were discarded: the caller reads the rest again.
    if (clear_count_ != clears) break;
    if (!lane.is_over) read<Direction::kForward>(lane, lane.limit);
    search.at = lane.at;
    search.match = lane.match;
    // A match cannot extend beyond the end of its line.
    search.is_over = lane.is_over || lane.match.has_value();
    if (search.is_over) return true;
  }
  search.state = start('\n') & kNumber;
  return true;
}

}  // namespace helve::regex
