// The loops of LazyDfa that read text.
#include "regex/lazy_dfa.h"

#include <algorithm>
#include <utility>

namespace helve::regex {

using namespace dfa;

namespace {

// How much is read between two checks of the stop flag.
constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::size_t kUncachedLength = std::size_t{32} << 10;
// Reading in lanes starts after this many bytes without a match, because a match wastes the work of later
// lanes.
constexpr std::size_t kBeforeLanes = 512;

template <Direction direction>
constexpr std::size_t place_after(std::size_t at) {
  return direction == Direction::kForward ? at + 1 : at - 1;
}

// The index of the next byte to read when everything up to `at` was read.
template <Direction direction>
constexpr std::size_t byte_place(std::size_t at) {
  return direction == Direction::kForward ? at : at - 1;
}

}  // namespace

std::optional<std::size_t> LazyDfa::find_end(std::string_view text, std::size_t from, Want want) {
  Search search{.text = text, .at = from, .limit = text.size(), .want = want};
  if (!nfa_->reads_line_feed()) search.lanes_from = from + kBeforeLanes;
  run<Direction::kForward>(search);
  bytes_since_clear_ += distance(search.at, search.counted);
  return search.match;
}

std::optional<std::size_t> LazyDfa::find_begin(std::string_view text, std::size_t from, std::size_t end) {
  Search search{.text = text, .at = end, .limit = from};
  run<Direction::kBackward>(search);
  bytes_since_clear_ += distance(search.at, search.counted);
  return search.match;
}

template <Direction direction>
void LazyDfa::run(Search& search) {
  constexpr bool kIsForward = direction == Direction::kForward;
  const std::size_t begin = search.at;
  const Id first = start(kIsForward ? search.unit_before(begin) : search.unit_after(begin));
  if ((first & kDead) != 0) return;
  search.state = first & kNumber;
  if (kIsForward && (first & kSkip) != 0) skip(search, first, std::min(search.limit, begin + kChunk));

  while (search.at != search.limit) {
    if (is_stopped()) return give_up(search);
    std::size_t length = std::min(kChunk, distance(search.at, search.limit));
    if (kIsForward && !search.match && search.lanes_from < search.limit) {
      const std::size_t done = search.at - begin;
      if (search.at >= search.lanes_from && length >= kBeforeLanes && search.skipped < done / 2 &&
          read_lanes(search, std::min(length, done))) {
        if (search.is_over) return;
        continue;
      }
      if (search.at < search.lanes_from) length = std::min(length, search.lanes_from - search.at);
    }
    read<direction>(search, kIsForward ? search.at + length : search.at - length);
    if (search.is_over) return;
  }

  const unsigned edge = kIsForward ? search.unit_after(search.limit) : search.unit_before(search.limit);
  Id next = table_[search.state + column_of(edge)];
  if ((next & (kUnknown | kDepends)) != 0) next = resolve(search, edge);
  if ((next & kUncached) != 0) {
    Words words;
    determinizer_.step(DfaKey(words_), edge, search.text, search.limit, words);
    if (DfaKey(words).has(DfaKey::kMatch)) next |= kMatch;
  }
  if ((next & kMatch) != 0) search.match = search.limit;
}

// Reads up to `end` or until the search is over.
template <Direction direction>
void LazyDfa::read(Search& search, std::size_t end) {
  const auto* const classes = nfa_->classes().data();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(search.text.data());
  while (search.at != end) {
    const Id* const table = table_.data();
    Id state = search.state;
    std::size_t at = search.at;
    Id next = 0;
    const auto read_plain = [&] {
      next = (table + classes[bytes[byte_place<direction>(at)]])[state];
      if (next >= kLowestTag) return false;
      state = next;
      at = place_after<direction>(at);
      return true;
    };
    while (distance(at, end) >= 4 && read_plain() && read_plain() && read_plain() && read_plain()) {
    }
    while (next < kLowestTag && at != end && read_plain()) {
    }
    search.state = state;
    search.at = at;
    if (next < kLowestTag) return;

    if ((next & (kUnknown | kDepends)) != 0) {
      next = resolve(search, bytes[byte_place<direction>(at)]);
      // With a huge pattern, this single step can take longer than reading a chunk.
      if (is_stopped()) return give_up(search);
    }
    if ((next & kUncached) != 0) {
      read_uncached<direction>(search, end);
      if (search.is_over) return;
      continue;
    }
    if ((next & kMatch) != 0) search.match = at;
    search.is_over = (next & kDead) != 0 || (search.match && search.want == Want::kEarliest);
    if (search.is_over) return;
    search.state = next & kNumber;
    search.at = place_after<direction>(at);
    if (direction == Direction::kForward && (next & kSkip) != 0) skip(search, next, end);
  }
}

template void LazyDfa::read<Direction::kForward>(Search& search, std::size_t end);

// Reads from the key in words_ without storing states, for a limited number of bytes or up to `end`.
template <Direction direction>
void LazyDfa::read_uncached(Search& search, std::size_t end) {
  Words next;
  for (std::size_t steps = 0; steps < kUncachedLength && search.at != end; ++steps) {
    if (is_stopped()) return give_up(search);
    const unsigned unit = search.unit_at(byte_place<direction>(search.at));
    determinizer_.step(DfaKey(words_), unit, search.text, search.at, next);
    std::swap(words_, next);
    if (DfaKey(words_).has(DfaKey::kMatch)) search.match = search.at;
    search.is_over = DfaKey(words_).is_dead() || (search.match && search.want == Want::kEarliest);
    if (search.is_over) return;
    search.at = place_after<direction>(search.at);
  }
  search.counted = search.at;
  search.state = add_state(words_) & kNumber;
}

void LazyDfa::give_up(Search& search) const {
  search.match.reset();
  search.is_over = true;
}

// Skips the bytes that lead from the state `id` to itself.
void LazyDfa::skip(Search& search, Id id, std::size_t end) const {
  const ByteSkip& bytes = skips_[skip_of_state_[(id & kNumber) >> row_bits_] - 1];
  const std::size_t place = bytes.next(search.text, search.at, end);

  if (place > search.at && (id & kMatch) != 0) search.match = place - 1;
  search.skipped += place - search.at;
  search.at = place;
}

}  // namespace helve::regex
