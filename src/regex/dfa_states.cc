#include "regex/dfa_states.h"

#include <algorithm>

namespace helve::regex {
namespace {

std::size_t hash_of(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15 + (hash >> 29);
  return hash ^ hash >> 32;
}

}  // namespace

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
