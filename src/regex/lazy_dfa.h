// A deterministic automaton that is made while it is used: one table look-up per byte once it is warm.
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
#include "regex/dfa_states.h"
#include "regex/nfa.h"

namespace helve::regex {

// Owned by one Finder; for one thread at a time. Takes memory only once it searches, and then about as much
// as it is allowed plus what the automaton's size asks for. When states pile up faster than they are used
// again, it goes on for a while without keeping them, so that time stays linear in the text.
class LazyDfa {
 public:
  static constexpr std::size_t kMemory = std::size_t{8} << 20;

  enum class Want : std::uint8_t {
    kPreferred,  // where the preferred match ends: forwards Perl's, backwards the longest
    kEarliest,   // the first place where some match is known to end
  };

  // `nfa` and `stop` must outlive it.
  explicit LazyDfa(const Nfa& nfa, const std::atomic<bool>* stop = nullptr, std::size_t memory = kMemory)
      : nfa_(&nfa), stop_(stop), max_memory_(memory), determinizer_(nfa) {}

  // Where the leftmost match that begins at or after `from` ends; for an automaton that reads forwards.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text, std::size_t from, Want want);
  // Where the longest match that ends at `end` and does not begin before `from` begins; for one that reads
  // backwards.
  [[nodiscard]] std::optional<std::size_t> find_begin(std::string_view text, std::size_t from,
                                                      std::size_t end);

  // How often what was learnt had to be thrown away.
  [[nodiscard]] std::size_t clear_count() const { return clear_count_; }
  [[nodiscard]] std::size_t state_count() const { return states_.size(); }

 private:
  // A state's number times the row length, with tags.
  using Id = std::uint32_t;
  using Words = Determinizer::Words;
  struct Search;

  // Reading, in lazy_dfa_search.cc and lazy_dfa_lanes.cc.
  template <Direction direction>
  void run(Search& search);
  template <Direction direction>
  void read(Search& search, std::size_t end);
  template <Direction direction>
  void crawl(Search& search, std::size_t end);
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
  std::vector<Id>
      table_;  // a row per state with a column per class of bytes and one for the edge of the text
  unsigned row_bits_ = 0;  // 0 until the first search
  std::array<Id, kStartContexts> starts_{};
  std::vector<std::uint32_t> skip_of_state_;  // 1 + place in skips_, or that there is none
  std::vector<ByteSkip> skips_;
  Words words_;
  std::size_t bytes_since_clear_ = 0;
  std::size_t clear_count_ = 0;
};

}  // namespace helve::regex
