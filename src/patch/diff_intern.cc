#include "patch/diff_intern.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

namespace helve::patch {
namespace {

// Random per process, so that no file can be crafted whose lines all collide.
struct HashKey {
  std::uint64_t seed;
  std::uint64_t factor;
};

const HashKey& hash_key() {
  static const HashKey key = [] {
    std::random_device random;
    const auto word = [&random] { return (std::uint64_t{random()} << 32) | random(); };
    return HashKey{word(), word() | 1};
  }();
  return key;
}

std::uint64_t multiply_and_fold(std::uint64_t left, std::uint64_t right) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{left} * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t hash_of(std::string_view bytes) {
  const HashKey& key = hash_key();
  std::uint64_t hash = key.seed ^ bytes.size();
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  if (bytes.size() >= 8) {
    for (; end - at > 8; at += 8) hash = multiply_and_fold(hash ^ load<std::uint64_t>(at), key.factor);
    // The last word overlaps the one before.
    return multiply_and_fold(hash ^ load<std::uint64_t>(end - 8), key.factor);
  }
  std::uint64_t last = 0;
  if (bytes.size() >= 4) {
    last = load<std::uint32_t>(at) | (load<std::uint32_t>(end - 4) << 32);
  } else {
    for (; at < end; ++at) last = (last << 8) | load<std::uint8_t>(at);
  }
  return multiply_and_fold(hash ^ last, key.factor);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

LineInterner::LineInterner(std::size_t expected_lines) {
  // First access to memory is the main cost of a diff, so avoid reallocation. But many lines may be equal, so
  // the reserve is limited.
  constexpr std::size_t kMostLines = 1 << 20;
  const std::size_t lines = std::min(expected_lines, kMostLines);
  lines_.reserve(lines);
  slots_.resize(std::bit_ceil(std::max<std::size_t>(lines * 4 / 3 + 1, 64)), Slot{0, kNone});
}

// The slot of the line, or the free slot for it.
std::size_t LineInterner::probe(std::string_view line, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == kNone) return at;
    if (slot.tag == tag_of(hash) && lines_[slot.number].text == line) return at;
  }
}

std::uint32_t LineInterner::intern(std::string_view line) {
  const std::uint64_t hash = hash_of(line);
  const std::size_t at = probe(line, hash);
  if (slots_[at].number != kNone) return slots_[at].number;
  const std::uint32_t number = size();
  lines_.push_back({line, hash});
  slots_[at] = {tag_of(hash), number};
  if (lines_.size() > slots_.size() / 4 * 3) grow();
  return number;
}

std::uint32_t LineInterner::find(std::string_view line) const {
  return slots_[probe(line, hash_of(line))].number;
}

void LineInterner::grow() {
  const std::size_t wanted = slots_.size() * 2;
  std::vector<Slot>().swap(slots_);  // frees the old table first; it is not needed
  slots_.resize(wanted, Slot{0, kNone});
  const std::size_t mask = wanted - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    const std::uint64_t hash = lines_[number].hash;
    std::size_t at = hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = {tag_of(hash), number};
  }
}

// Eight bytes at a time: g++ does not vectorize std::count at -O2.
std::size_t count_line_breaks(std::string_view text) {
  constexpr std::uint64_t kLow = 0x7F7F'7F7F'7F7F'7F7F;
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::size_t kRound = std::size_t{8} * 31;  // small enough for a one-byte sum
  std::size_t count = 0;
  while (text.size() >= kRound) {
    std::uint64_t per_byte = 0;
    for (std::size_t at = 0; at < kRound; at += 8) {
      const std::uint64_t word = load<std::uint64_t>(text.data() + at) ^ (kOnes * '\n');
      per_byte += (~(((word & kLow) + kLow) | word) >> 7) & kOnes;
    }
    count += (per_byte * kOnes) >> 56;
    text.remove_prefix(kRound);
  }
  return count + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  starts.reserve(count_line_breaks(text) + 2);
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace helve::patch
