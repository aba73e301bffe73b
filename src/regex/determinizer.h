// Builds the states of a deterministic automaton from a nondeterministic one, one step at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "regex/look.h"
#include "regex/nfa.h"

namespace helve::regex {

// The identity of a deterministic state: flags, two sets of look-arounds, then the nondeterministic states in
// order of preference. Equal words mean equal states.
class DfaKey {
 public:
  enum Flag : std::uint32_t {
    kMatch = 1,         // a match ended before the last byte read
    kFromWord = 2,      // the last byte read is a word byte
    kFromHalfCrlf = 4,  // the last byte read may be the first half of \r\n, in reading order
    kFromNonAscii = 8,  // the last byte read belongs to a non-ASCII character; only the text tells if it is a
                        // word character
  };
  static constexpr std::size_t kHeaderWords = 3;

  explicit DfaKey(std::span<const std::uint32_t> words) : words_(words) {}

  [[nodiscard]] bool has(Flag flag) const { return (words_[0] & flag) != 0; }
  // Look-arounds known to hold after the last byte read.
  [[nodiscard]] LookSet known() const { return LookSet::from_bits(words_[1]); }
  // Look-arounds on which states depend and that are not yet known.
  [[nodiscard]] LookSet awaited() const { return LookSet::from_bits(words_[2]); }
  [[nodiscard]] std::span<const std::uint32_t> nfa_states() const { return words_.subspan(kHeaderWords); }
  [[nodiscard]] bool is_dead() const { return words_.size() == kHeaderWords && !has(kMatch); }

 private:
  std::span<const std::uint32_t> words_;
};

// Assigns numbers to keys, from 0 on. Part of one LazyDfa.
class DfaStates {
 public:
  // The number of a state, and whether it is new.
  struct Place {
    std::uint32_t number = 0;
    bool added = false;
  };
  Place find_or_add(std::span<const std::uint32_t> words);

  // Valid until the next find_or_add.
  [[nodiscard]] std::span<const std::uint32_t> words(std::uint32_t number) const {
    return {words_.data() + begins_[number], words_.data() + begins_[number + 1]};
  }
  [[nodiscard]] std::size_t size() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  [[nodiscard]] std::size_t memory() const {
    return (words_.size() + begins_.size() + slots_.size()) * sizeof(std::uint32_t);
  }
  void clear();

 private:
  void grow();

  std::vector<std::uint32_t> words_;   // all keys, concatenated
  std::vector<std::uint32_t> begins_;  // start of each key, and the end of the last
  std::vector<std::uint32_t> slots_;   // an open-addressing hash table of number + 1
};

// The character that precedes the start of a search, in reading order.
enum class StartContext : std::uint8_t { kTextEdge, kLineFeed, kCarriageReturn, kWord, kNonWord, kNonAscii };
inline constexpr std::size_t kStartContexts = 6;

// Computes steps of the deterministic automaton. Forward: unanchored, with Perl's preference order. Backward:
// anchored, keeping all matches. Part of one LazyDfa; keeps no state between calls except buffers.
class Determinizer {
 public:
  using Words = std::vector<std::uint32_t>;  // the words of a DfaKey
  static constexpr unsigned kTextEnd = 256;  // the unit after the last byte

  explicit Determinizer(const Nfa& nfa) : nfa_(&nfa) {}

  [[nodiscard]] StartContext context_of(unsigned unit) const;
  void start(StartContext context, Words& result);
  // Whether the step from `key` by `unit` depends on more text than the adjacent bytes. This is the case for
  // non-ASCII characters at a word boundary.
  [[nodiscard]] bool depends_on_text(DfaKey key, unsigned unit) const;
  // Computes the key after reading `unit`. `at` is the position before `unit` in reading order; `text` and
  // `at` are used only if depends_on_text().
  void step(DfaKey key, unsigned unit, std::string_view text, std::size_t at, Words& result);

 private:
  void prepare();
  [[nodiscard]] LookSet looks_before(DfaKey key, unsigned unit, std::string_view text, std::size_t at) const;
  void add_closure(std::uint32_t state, LookSet known, SparseSet& set);
  void write_key(std::uint32_t flags, LookSet known, Words& result);
  [[nodiscard]] bool has_word_looks() const {
    return nfa_->looks().has_any_of(kAsciiWordLooks) || nfa_->looks().has_any_of(kUnicodeWordLooks);
  }

  const Nfa* nfa_;
  SparseSet current_;
  SparseSet next_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace helve::regex
