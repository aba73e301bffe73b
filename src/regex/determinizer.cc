#include "regex/determinizer.h"

#include <algorithm>
#include <utility>

namespace helve::regex {
namespace {

// The word look-arounds that hold, given whether a word character is before and after, in reading order.
LookSet word_looks(bool before, bool after) {
  LookSet looks;
  looks.add(before != after ? LookSet{Look::kWordBoundary, Look::kWordBoundaryAscii}
                            : LookSet{Look::kNotWordBoundary, Look::kNotWordBoundaryAscii});
  if (!before && after) looks.add({Look::kWordStart, Look::kWordStartAscii});
  if (before && !after) looks.add({Look::kWordEnd, Look::kWordEndAscii});
  if (!before) looks.add({Look::kWordStartHalf, Look::kWordStartHalfAscii});
  if (!after) looks.add({Look::kWordEndHalf, Look::kWordEndHalfAscii});
  return looks;
}

bool is_word_unit(unsigned unit) { return unit < 0x80 && is_word_byte(static_cast<unsigned char>(unit)); }

bool is_non_ascii_unit(unsigned unit) { return unit >= 0x80 && unit < Determinizer::kTextEnd; }

std::uint32_t next_state_by(const Nfa& nfa, const NfaState& sparse, unsigned unit) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  for (const NfaEdge& edge : nfa.edges(sparse)) {
    if (unit < edge.first) break;
    if (unit <= edge.last) return edge.next;
  }
  return kNone;
}

std::size_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15 + (hash >> 29);
  return hash ^ hash >> 32;
}

}  // namespace

void Determinizer::prepare() {
  current_.resize(nfa_->size());
  next_.resize(nfa_->size());
}

StartContext Determinizer::context_of(unsigned unit) const {
  if (unit == kTextEnd) return StartContext::kTextEdge;
  // Contexts that this pattern does not distinguish share a start state.
  if (nfa_->looks().empty()) return StartContext::kNonWord;
  if (unit == '\n') return StartContext::kLineFeed;
  if (unit == '\r') return StartContext::kCarriageReturn;
  if (unit >= 0x80) return StartContext::kNonAscii;
  return is_word_unit(unit) ? StartContext::kWord : StartContext::kNonWord;
}

void Determinizer::start(StartContext context, Words& result) {
  if (current_.memory() == 0) prepare();
  const bool backward = nfa_->is_backward();
  const auto first_of_crlf = static_cast<unsigned char>(backward ? '\n' : '\r');
  LookSet known;
  std::uint32_t flags = 0;
  const auto after_line_break = [&](unsigned byte) {
    if (byte == '\n') known.add(Look::kLineStart);
    if (byte == first_of_crlf)
      flags |= DfaKey::kFromHalfCrlf;
    else
      known.add(Look::kLineStartCrlf);
  };
  switch (context) {
    case StartContext::kTextEdge: known = {Look::kTextStart, Look::kLineStart, Look::kLineStartCrlf}; break;
    case StartContext::kLineFeed: after_line_break('\n'); break;
    case StartContext::kCarriageReturn: after_line_break('\r'); break;
    case StartContext::kWord: flags |= DfaKey::kFromWord; break;
    case StartContext::kNonWord: break;
    case StartContext::kNonAscii: flags |= DfaKey::kFromNonAscii; break;
  }
  next_.clear();
  add_closure(backward ? nfa_->start_anchored() : nfa_->start_unanchored(), known, next_);
  write_key(flags, known, result);
}

bool Determinizer::depends_on_text(DfaKey key, unsigned unit) const {
  // Not only if a Unicode look-around is awaited: one may follow another look-around.
  return !key.awaited().empty() && nfa_->looks().has_any_of(kUnicodeWordLooks) &&
         (key.has(DfaKey::kFromNonAscii) || is_non_ascii_unit(unit));
}

LookSet Determinizer::looks_before(DfaKey key, unsigned unit, std::string_view text, std::size_t at) const {
  LookSet looks = key.known();
  const auto second_of_crlf = static_cast<unsigned char>(nfa_->is_backward() ? '\r' : '\n');
  const bool half = key.has(DfaKey::kFromHalfCrlf);
  if (unit == kTextEnd) looks.add({Look::kTextEnd, Look::kLineEnd, Look::kLineEndCrlf});
  if (unit == '\n') looks.add(Look::kLineEnd);
  if ((unit == '\n' || unit == '\r') && !(half && unit == second_of_crlf)) looks.add(Look::kLineEndCrlf);
  if (half && unit != second_of_crlf) looks.add(Look::kLineStartCrlf);
  if (!has_word_looks()) return looks;
  looks.add(word_looks(key.has(DfaKey::kFromWord), is_word_unit(unit)));
  if (depends_on_text(key, unit)) {
    looks = looks.without(kUnicodeWordLooks);
    for (int i = 0; i < kLookCount; ++i) {
      const auto look = static_cast<Look>(i);
      if (!nfa_->looks().common_with(kUnicodeWordLooks).contains(look)) continue;
      if (look_holds(nfa_->is_backward() ? flipped(look) : look, text, at)) looks.add(look);
    }
  }
  return looks;
}

void Determinizer::step(DfaKey key, unsigned unit, std::string_view text, std::size_t at, Words& result) {
  current_.clear();
  const LookSet looks = key.awaited().empty() ? key.known() : looks_before(key, unit, text, at);
  const bool more_is_known = looks.without(key.known()).has_any_of(key.awaited());
  for (const std::uint32_t id : key.nfa_states()) {
    if (more_is_known)
      add_closure(id, looks, current_);
    else
      current_.insert(id);
  }

  const bool backward = nfa_->is_backward();
  const auto first_of_crlf = static_cast<unsigned char>(backward ? '\n' : '\r');
  LookSet known;
  std::uint32_t flags = 0;
  if (unit == '\n') known.add(Look::kLineStart);
  if (unit == '\n' || unit == '\r') {
    if (unit == first_of_crlf)
      flags |= DfaKey::kFromHalfCrlf;
    else
      known.add(Look::kLineStartCrlf);
  }
  if (is_word_unit(unit)) flags |= DfaKey::kFromWord;
  if (is_non_ascii_unit(unit)) flags |= DfaKey::kFromNonAscii;

  next_.clear();
  for (const std::uint32_t id : current_.numbers()) {
    const NfaState& state = nfa_->state(id);
    if (state.kind == NfaState::Kind::kRange) {
      if (unit >= state.first && unit <= state.last) add_closure(state.target, known, next_);
    } else if (state.kind == NfaState::Kind::kSparse) {
      const std::uint32_t target = next_state_by(*nfa_, state, unit);
      if (target < nfa_->size()) add_closure(target, known, next_);
    } else if (state.kind == NfaState::Kind::kMatch) {
      flags |= DfaKey::kMatch;
      // Later states are less preferred than this match. Backward, the longest match is wanted.
      if (!backward) break;
    }
  }
  write_key(flags, known, result);
}

void Determinizer::add_closure(std::uint32_t start, LookSet known, SparseSet& set) {
  stack_.push_back(start);
  while (!stack_.empty()) {
    const std::uint32_t id = stack_.back();
    stack_.pop_back();
    if (!set.insert(id)) continue;
    const NfaState& state = nfa_->state(id);
    if (state.kind == NfaState::Kind::kUnion) {
      const auto alternates = nfa_->alternates(state);
      stack_.insert(stack_.end(), alternates.rbegin(), alternates.rend());
    } else if (state.kind == NfaState::Kind::kLook && known.contains(state.look)) {
      stack_.push_back(state.target);
    }
  }
}

// Writes the key for the states in next_. Omits flags and look-arounds that have no effect, so that fewer
// states differ.
void Determinizer::write_key(std::uint32_t flags, LookSet known, Words& result) {
  result.assign(DfaKey::kHeaderWords, 0);
  LookSet awaited;
  const auto is_awaited = [&](const NfaState& state) {
    return state.kind == NfaState::Kind::kLook && !known.contains(state.look) &&
           !kLooksBehindOnly.contains(state.look);
  };
  if (!nfa_->looks().empty())
    for (const std::uint32_t id : next_.numbers())
      if (is_awaited(nfa_->state(id))) awaited.add(nfa_->state(id).look);
  // When the awaited look-arounds are known, the closure is computed again from the kept states. With a
  // look-around in a loop, as in (?:\b|%)+, the order of preference is correct only if it starts at the same
  // unions.
  const bool keeps_unions = !awaited.empty() && !nfa_->is_backward();
  for (const std::uint32_t id : next_.numbers()) {
    const NfaState& state = nfa_->state(id);
    switch (state.kind) {
      case NfaState::Kind::kRange:
      case NfaState::Kind::kSparse:
      case NfaState::Kind::kMatch: result.push_back(id); break;
      case NfaState::Kind::kLook:
        if (is_awaited(state)) result.push_back(id);
        break;
      case NfaState::Kind::kUnion:
        if (keeps_unions) result.push_back(id);
        break;
      case NfaState::Kind::kFail: break;
    }
  }
  if (awaited.empty()) {
    flags &= DfaKey::kMatch;
    known = {};
  }
  if (!nfa_->looks().has_any_of(kCrlfLooks)) flags &= ~std::uint32_t{DfaKey::kFromHalfCrlf};
  if (!has_word_looks()) flags &= ~std::uint32_t{DfaKey::kFromWord};
  if (!nfa_->looks().has_any_of(kUnicodeWordLooks)) flags &= ~std::uint32_t{DfaKey::kFromNonAscii};
  result[0] = flags;
  result[1] = known.common_with(nfa_->looks()).bits();
  result[2] = awaited.bits();
}

DfaStates::Place DfaStates::find_or_add(std::span<const std::uint32_t> words) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(words) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask)
    if (std::ranges::equal(this->words(slots_[slot] - 1), words)) return {slots_[slot] - 1, false};
  if (begins_.empty()) begins_.push_back(0);
  const auto number = static_cast<std::uint32_t>(size());
  words_.insert(words_.end(), words.begin(), words.end());
  begins_.push_back(static_cast<std::uint32_t>(words_.size()));
  slots_[slot] = number + 1;
  return {number, true};
}

void DfaStates::clear() {
  words_.clear();
  begins_.clear();
  std::ranges::fill(slots_, 0);
}

void DfaStates::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hash_of(words(number)) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

}  // namespace helve::regex
