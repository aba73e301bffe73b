// A deterministic automaton that is built while it runs: one table lookup per byte once it is warm.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regex/byte_skip.h"
#include "regex/determinizer.h"
#include "regex/nfa.h"

namespace helve::regex {

// Owned by one Finder; not thread-safe. Allocates on the first search; uses about the allowed memory plus an
// amount that depends on the size of the automaton. If new states are created faster than they are reused, it
// runs for a while without storing them, so that time stays linear in the text.
class LazyDfa {
 public:
  static constexpr std::size_t kMemory = std::size_t{8} << 20;

  enum class Want : std::uint8_t {
    kPreferred,  // the end of the preferred match: forward Perl's, backward the longest
    kEarliest,   // the first position where any match ends
  };

  // `nfa` and `stop` must outlive it.
  explicit LazyDfa(const Nfa& nfa, const std::atomic<bool>* stop = nullptr, std::size_t memory = kMemory)
      : nfa_(&nfa), stop_(stop), max_memory_(memory), determinizer_(nfa) {}

  // The end of the leftmost match that begins at or after `from`. Requires a forward automaton.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text, std::size_t from, Want want);
  // The start of the longest match that ends at `end` and does not begin before `from`. Requires a backward
  // automaton.
  [[nodiscard]] std::optional<std::size_t> find_begin(std::string_view text, std::size_t from,
                                                      std::size_t end);

  // How often all states were discarded because memory was full.
  [[nodiscard]] std::size_t clear_count() const { return clear_count_; }
  [[nodiscard]] std::size_t state_count() const { return states_.size(); }

 private:
  // A state number times the row length, combined with tags.
  using Id = std::uint32_t;
  using Words = Determinizer::Words;
  struct Search;

  // Defined in lazy_dfa_search.cc and lazy_dfa_lanes.cc.
  template <Direction direction>
  void run(Search& search);
  template <Direction direction>
  void read(Search& search, std::size_t end);
  template <Direction direction>
  void read_uncached(Search& search, std::size_t end);
  [[nodiscard]] bool read_lanes(Search& search, std::size_t length);
  void give_up(Search& search) const;
  void skip(Search& search, Id id, std::size_t end) const;

  [[nodiscard]] unsigned column_of(unsigned unit) const;
  [[nodiscard]] Id start(unsigned unit);
  [[nodiscard]] Id resolve(Search& search, unsigned unit);
  [[nodiscard]] Id add_state(const Words& words);
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  void clear();
  void try_to_skip_in(Id state);

  const Nfa* nfa_;
  const std::atomic<bool>* stop_;
  std::size_t max_memory_;
  Determinizer determinizer_;
  DfaStates states_;
  std::vector<Id> table_;  // one row per state; one column per byte class and one for the edge of the text
  unsigned row_bits_ = 0;  // 0 until the first search
  std::array<Id, kStartContexts> starts_{};
  std::vector<std::uint32_t> skip_of_state_;  // 1 + index in skips_, kNotTried or kNoSkip
  std::vector<ByteSkip> skips_;
  Words words_;
  std::size_t bytes_since_clear_ = 0;
  std::size_t clear_count_ = 0;
};

namespace dfa {

using Id = std::uint32_t;

// Tags of an id. An id without tags is a state that needs no special handling.
inline constexpr Id kUnknown = Id{1} << 31;   // not computed yet
inline constexpr Id kDead = Id{1} << 30;      // no further match is possible
inline constexpr Id kDepends = Id{1} << 29;   // depends on the text; computed each time
inline constexpr Id kMatch = Id{1} << 28;     // a match ended before the byte that led here
inline constexpr Id kSkip = Id{1} << 27;      // few bytes leave the state, so the others can be skipped
inline constexpr Id kUncached = Id{1} << 26;  // storing states does not pay at the moment
inline constexpr Id kLowestTag = kUncached;
inline constexpr Id kNumber = kLowestTag - 1;

constexpr std::size_t distance(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace dfa

struct LazyDfa::Search {
  std::string_view text;
  std::size_t at = 0;     // everything up to here was read
  std::size_t limit = 0;  // reading ends here
  Want want = Want::kPreferred;
  Id state = 0;  // without tags
  std::optional<std::size_t> match = {};
  bool is_over = false;
  std::size_t lanes_from = std::string_view::npos;  // do not read in lanes before this position
  std::size_t skipped = 0;                          // bytes skipped without table lookups
  std::size_t counted = at;                         // bytes_since_clear_ includes everything up to here

  [[nodiscard]] unsigned unit_at(std::size_t place) const { return static_cast<unsigned char>(text[place]); }
  // The unit before or after a position, which may be the edge of the text.
  [[nodiscard]] unsigned unit_before(std::size_t place) const {
    return place == 0 ? Determinizer::kTextEnd : unit_at(place - 1);
  }
  [[nodiscard]] unsigned unit_after(std::size_t place) const {
    return place == text.size() ? Determinizer::kTextEnd : unit_at(place);
  }
};

}  // namespace helve::regex
