// How LazyDfa names its states, and what it knows of a search under way.
#pragma once

#include "regex/lazy_dfa.h"

namespace helve::regex::dfa {

using Id = std::uint32_t;

// Tags of an id. Everything below the lowest one is a state in which nothing is to be done but to read on.
inline constexpr Id kUnknown = Id{1} << 31;  // not worked out yet
inline constexpr Id kDead = Id{1} << 30;     // no match can come any more
inline constexpr Id kDepends = Id{1} << 29;  // to be worked out from the text each time
inline constexpr Id kMatch = Id{1} << 28;    // a match ended before the byte that led here
inline constexpr Id kSkip = Id{1} << 27;     // few bytes lead out of the state
inline constexpr Id kCrawl = Id{1} << 26;    // keeping states does not pay at the moment
inline constexpr Id kLowestTag = kCrawl;
inline constexpr Id kNumber = kLowestTag - 1;

constexpr std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace helve::regex::dfa

namespace helve::regex {

struct LazyDfa::Search {
  std::string_view text;
  std::size_t at = 0;     // everything up to here is read
  std::size_t limit = 0;  // here reading ends
  Want want = Want::kPreferred;
  Id state = 0;  // without tags
  std::optional<std::size_t> match = {};
  bool is_over = false;
  std::size_t lanes_from = std::string_view::npos;  // before this place, reading in lanes does not pay
  std::size_t skipped = 0;                          // bytes that were gone over without the table
  std::size_t counted = at;                         // how far bytes_since_clear_ knows

  [[nodiscard]] unsigned unit_at(std::size_t place) const { return static_cast<unsigned char>(text[place]); }
  // What is before or after a place, at the edge of the text too.
  [[nodiscard]] unsigned unit_before(std::size_t place) const {
    return place == 0 ? Determinizer::kTextEnd : unit_at(place - 1);
  }
  [[nodiscard]] unsigned unit_after(std::size_t place) const {
    return place == text.size() ? Determinizer::kTextEnd : unit_at(place);
  }
};

}  // namespace helve::regex
