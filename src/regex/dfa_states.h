// The states of a deterministic automaton that is made while it is used, each one known by what it stands
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regex/look.h"

namespace helve::regex {

// What a deterministic state stands for, as words: flags, two sets of look-arounds, then the nondeterministic
// states in order of preference. Equal words, equal state.
class DfaKey {
 public:
  enum Flag : std::uint32_t {
    kMatch = 1,         // a match ended before the last byte read
    kFromWord = 2,      // the last byte read is a word byte
    kFromHalfCrlf = 4,  // the last byte read is the first of what may be a \r\n, in the order of reading
    kFromNonAscii =
        8,  // the last byte read is one of a non-ASCII character, so only the text says if that is a word's
  };
  static constexpr std::size_t kHeaderWords = 3;

  explicit DfaKey(std::span<const std::uint32_t> words) : words_(words) {}

  [[nodiscard]] bool has(Flag flag) const { return (words_[0] & flag) != 0; }
  // Look-arounds that are known to hold after the last byte read.
  [[nodiscard]] LookSet known() const { return LookSet::from_bits(words_[1]); }
  // Look-arounds that states wait for.
  [[nodiscard]] LookSet awaited() const { return LookSet::from_bits(words_[2]); }
  [[nodiscard]] std::span<const std::uint32_t> nfa_states() const { return words_.subspan(kHeaderWords); }
  [[nodiscard]] bool is_dead() const { return words_.size() == kHeaderWords && !has(kMatch); }

 private:
  std::span<const std::uint32_t> words_;
};

// Numbers keys from 0 on. Part of one LazyDfa.
class DfaStates {
 public:
  // The number of the state with these words, and whether it is new.
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

  std::vector<std::uint32_t> words_;   // all keys
  std::vector<std::uint32_t> begins_;  // of each key, and the end of the last
  std::vector<std::uint32_t> slots_;   // an open hash table of number + 1
};

}  // namespace helve::regex
