#include "regex/lazy_dfa.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace helve::regex {

using namespace dfa;

namespace {

constexpr std::uint32_t kNotTried = 0;
constexpr std::uint32_t kNoSkip = 0xFFFFFFFF;

// Storing states pays if each was used for this many bytes before it is discarded.
constexpr std::size_t kBytesPerState = 10;
// Per thousand bytes. If more bytes leave a state, skipping to the next of them is slower than the table.
constexpr unsigned kMaxSkipFrequency = 120;

}  // namespace

unsigned LazyDfa::column_of(unsigned unit) const {
  return unit == Determinizer::kTextEnd ? nfa_->classes().count()
                                        : nfa_->classes()[static_cast<unsigned char>(unit)];
}

LazyDfa::Id LazyDfa::start(unsigned unit) {
  if (row_bits_ == 0) {
    row_bits_ = static_cast<unsigned>(std::bit_width(nfa_->classes().count()));
    starts_.fill(kUnknown);
  }
  Id& id = starts_[static_cast<std::size_t>(determinizer_.context_of(unit))];
  if (id == kUnknown) {
    determinizer_.start(determinizer_.context_of(unit), words_);
    id = add_state(words_);
  }
  return id;
}

// Computes the state after reading `unit`. Returns kUncached, with the key of the current state in words_, if
// storing states does not pay.
LazyDfa::Id LazyDfa::resolve(Search& search, unsigned unit) {
  if (memory() > max_memory_) {
    const auto words = states_.words(search.state >> row_bits_);
    words_.assign(words.begin(), words.end());
    bytes_since_clear_ += distance(search.at, search.counted);
    search.counted = search.at;
    const bool pays = bytes_since_clear_ >= kBytesPerState * states_.size();
    clear();
    if (!pays) return kUncached;
    search.state = add_state(words_) & kNumber;
  }
  const DfaKey key(states_.words(search.state >> row_bits_));
  const bool depends = determinizer_.depends_on_text(key, unit);
  determinizer_.step(key, unit, search.text, search.at, words_);
  const Id next = add_state(words_);
  table_[search.state + column_of(unit)] = depends ? kDepends : next;
  if (!depends && (next & kNumber) == search.state && (next & kDead) == 0) {
    try_to_skip_in(search.state);
    return table_[search.state + column_of(unit)];
  }
  return next;
}

LazyDfa::Id LazyDfa::add_state(const Words& words) {
  const DfaKey key(words);
  if (key.is_dead()) return kDead;
  const auto [number, added] = states_.find_or_add(words);
  if (added) {
    table_.resize(table_.size() + (std::size_t{1} << row_bits_), kUnknown);
    skip_of_state_.push_back(kNotTried);
  }
  Id id = number << row_bits_;
  if (key.has(DfaKey::kMatch)) id |= kMatch;
  if (skip_of_state_[number] != kNotTried && skip_of_state_[number] != kNoSkip) id |= kSkip;
  return id;
}

std::size_t LazyDfa::memory() const {
  return states_.memory() + (table_.size() + skip_of_state_.size()) * sizeof(Id) +
         skips_.size() * sizeof(ByteSkip);
}

void LazyDfa::clear() {
  states_.clear();
  table_.clear();
  skip_of_state_.clear();
  skips_.clear();
  starts_.fill(kUnknown);
  bytes_since_clear_ = 0;
  ++clear_count_;
}

// Computes the successors of `state`, which has a transition to itself. If few bytes leave it, enables
// skipping.
void LazyDfa::try_to_skip_in(Id state) {
  const std::uint32_t number = state >> row_bits_;
  if (nfa_->is_backward() || skip_of_state_[number] != kNotTried) return;
  skip_of_state_[number] = kNoSkip;
  std::bitset<256> leaving;
  unsigned frequency = 0;
  Words words;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::size_t place = state + column_of(byte);
    if (table_[place] == kUnknown) {
      const DfaKey key(states_.words(number));
      if (memory() > max_memory_ || is_stopped()) return;
      if (determinizer_.depends_on_text(key, byte)) {
        table_[place] = kDepends;
      } else {
        determinizer_.step(key, byte, {}, 0, words);
        const Id next = add_state(words);
        table_[place] = next;
      }
    }
    if ((table_[place] & (kNumber | kDead | kDepends)) == state) continue;
    leaving.set(byte);
    frequency += ByteSkip::expected_frequency(static_cast<unsigned char>(byte));
    if (frequency > kMaxSkipFrequency) return;
  }
  skips_.emplace_back(leaving);
  skip_of_state_[number] = static_cast<std::uint32_t>(skips_.size());
  const auto tag = [&](Id& id) {
    if ((id & (kNumber | kDead | kDepends | kUnknown)) == state) id |= kSkip;
  };
  for (unsigned column = 0; column < nfa_->classes().count(); ++column) tag(table_[state + column]);
  for (Id& id : starts_) tag(id);
}

}  // namespace helve::regex
