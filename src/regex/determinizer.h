// One step of a deterministic automaton, worked out from the nondeterministic one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "regex/dfa_states.h"
#include "regex/nfa.h"
#include "regex/sparse_set.h"

namespace helve::regex {

// What lies on the side from which reading comes.
enum class StartContext : std::uint8_t { kTextEdge, kLineFeed, kCarriageReturn, kWord, kNonWord, kNonAscii };
inline constexpr std::size_t kStartContexts = 6;

// Reads forwards from anywhere and prefers matches as Perl does, or backwards from a fixed place and keeps
// all matches, as the automaton's direction has it. Part of one LazyDfa; remembers nothing but memory.
class Determinizer {
 public:
  using Words = std::vector<std::uint32_t>;  // of a DfaKey
  static constexpr unsigned kTextEnd = 256;  // what is read after the last byte

  explicit Determinizer(const Nfa& nfa) : nfa_(&nfa) {}

  [[nodiscard]] StartContext context_of(unsigned unit) const;
  void start(StartContext context, Words& result);
  // Whether more than the byte before and the byte or end `unit` must be looked at to leave `key`: with
  // non-ASCII characters at a word boundary.
  [[nodiscard]] bool depends_on_text(DfaKey key, unsigned unit) const;
  // Reads `unit`. `text` and `at`, the place before `unit` in the direction of reading, matter only where
  // depends_on_text.
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
