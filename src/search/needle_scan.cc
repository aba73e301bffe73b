#include "search/needle_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "search/byte_pairs.h"

namespace helve::search {
namespace {

bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

// So rare that false alarms cost nothing worth mentioning: a step is 64 bytes.
constexpr double kRareEnough = 1.0 / 200;
// The same for several needles, where an alarm costs more.
constexpr double kRareTogether = 1.0 / 1000;

// Below this, two places of each needle let no more through than can be looked at.
constexpr double kTwoAreEnough = 1.0 / 5000;

double share_of_windows(const std::vector<Needle>& needles, std::size_t width, ByteShares& shares) {
  double sum = 0;
  for (const Needle& needle : needles) sum += rarest_window(needle, width, shares).share;
  return sum;
}

std::string literal_of(const Needle& needle) {
  std::string literal;
  for (const ByteSet& set : needle) {
    if (set.count() != 1) return {};
    literal += static_cast<char>(set._Find_first());
  }
  return literal;
}

}  // namespace

NeedleScan::NeedleScan(const Needles& needles) {
  width_ = kMostWidth;
  for (const Needle& needle : needles.needles) width_ = std::min(width_, needle.size());
  ByteShares shares;
  // Every place that is looked at costs; two are often enough.
  if (width_ == kMostWidth && share_of_windows(needles.needles, 2, shares) < kTwoAreEnough) width_ = 2;
  for (const Needle& needle : needles.needles)
    needles_.push_back({needle, literal_of(needle), rarest_window(needle, width_, shares).offset});
  place_in_buckets();
  choose_pairs(shares);
}

void NeedleScan::choose_pairs(ByteShares& shares) {
  if (needles_.size() > kMostPairs) return;
  std::vector<BytePair> pairs;
  double share = 0;
  for (const Placed& placed : needles_) {
    const auto pair = rarest_pair(placed.needle);
    if (!pair) return;
    share += pair->share;
    pairs.push_back(*pair);
  }
  // What is left to the windows is looked at in up to three places.
  const bool is_single = pairs.size() == 1;
  const bool is_rare =
      share <= (is_single ? kRareEnough : kRareTogether) ||
      (is_single && share <= 4 * rarest_window(needles_[0].needle, kMostWidth, shares).share);
  if (is_rare) pairs_ = std::move(pairs);
}

std::optional<NeedleScan::BytePair> NeedleScan::rarest_pair(const Needle& needle) {
  struct Choice {
    MaskedByte byte;
    double share;
  };
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    const std::size_t low = needle[i]._Find_first();
    const std::size_t high = needle[i]._Find_next(low);
    const std::size_t mask = needle[i].count() == 1 ? 0 : low ^ high;
    if (needle[i].count() > 2 || (mask & (mask - 1)) != 0) continue;
    choices.push_back({{i, static_cast<char>(mask), static_cast<char>(low | mask)}, share_of(needle[i])});
  }
  if (choices.empty()) return {};
  const auto rarer = [](const Choice& left, const Choice& right) { return left.share < right.share; };
  std::ranges::stable_sort(choices, rarer);
  // The same byte twice says less than two different ones.
  const auto other = std::ranges::find_if(
      choices, [&](const Choice& choice) { return choice.byte.value != choices[0].byte.value; });
  const Choice& second = other != choices.end() ? *other : choices.back();
  return BytePair{choices[0].byte, second.byte, choices[0].share * second.share};
}

// Each needle has a bucket of its own while there are enough; then needles share them, which lets more
// through.
void NeedleScan::place_in_buckets() {
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    const std::size_t bucket = i % kBuckets;
    const auto bit = static_cast<std::uint8_t>(1U << bucket);
    buckets_[bucket].push_back(static_cast<std::uint32_t>(i));
    for (std::size_t place = 0; place < width_; ++place) {
      const ByteSet& set = needles_[i].needle[needles_[i].offset + place];
      for (std::size_t byte = set._Find_first(); byte < set.size(); byte = set._Find_next(byte)) {
        nibbles_[place].low[byte & 0xF] |= bit;
        nibbles_[place].high[byte >> 4] |= bit;
        bucket_bits_[place][byte] |= bit;
      }
    }
  }
}

std::optional<NeedleScan::Place> NeedleScan::find(std::string_view text, std::size_t from) const {
  return has_avx2() ? find_with_avx2(text, from) : find_portably(text, from);
}

bool NeedleScan::Placed::is_at(std::string_view text, std::size_t begin) const {
  if (text.size() - begin < needle.size()) return false;
  if (!literal.empty()) return std::memcmp(text.data() + begin, literal.data(), literal.size()) == 0;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    if (!needle[i].test(static_cast<unsigned char>(text[begin + i]))) return false;
  }
  return true;
}

std::optional<NeedleScan::Place> NeedleScan::confirm(std::string_view text, std::size_t from,
                                                     std::size_t window, unsigned buckets) const {
  for (; buckets != 0; buckets &= buckets - 1) {
    for (const std::uint32_t index : buckets_[static_cast<std::size_t>(std::countr_zero(buckets))]) {
      const Placed& placed = needles_[index];
      if (window < from + placed.offset) continue;
      const std::size_t begin = window - placed.offset;
      if (placed.is_at(text, begin)) return Place{begin, begin + placed.needle.size()};
    }
  }
  return {};
}

std::optional<NeedleScan::Place> NeedleScan::find_slowly(std::string_view text, std::size_t from,
                                                         std::size_t at) const {
  for (; at + width_ <= text.size(); ++at) {
    unsigned buckets = 0xFF;
    for (std::size_t place = 0; place < width_; ++place)
      buckets &= bucket_bits_[place][static_cast<unsigned char>(text[at + place])];
    if (buckets == 0) continue;
    if (const auto found = confirm(text, from, at, buckets)) return found;
  }
  return {};
}

#if defined(__x86_64__)

template <std::size_t count, bool masked>
__attribute__((target("avx2"))) std::optional<NeedleScan::Place> NeedleScan::find_pairs_with_avx2(
    std::string_view text, std::size_t from) const {
  constexpr std::size_t kStep = 32;
  const char* const data = text.data();
  __m256i value[count][2];
  __m256i mask[count][2];
  std::size_t offset[count][2];
  std::size_t reach = 0;
  std::size_t shortest = std::string_view::npos;
  for (std::size_t i = 0; i < count; ++i) {
    const MaskedByte* const bytes[] = {&pairs_[i].first, &pairs_[i].second};
    for (std::size_t j = 0; j < 2; ++j) {
      value[i][j] = _mm256_set1_epi8(bytes[j]->value);
      mask[i][j] = _mm256_set1_epi8(bytes[j]->mask);
      offset[i][j] = bytes[j]->offset;
      reach = std::max(reach, bytes[j]->offset);
    }
    shortest = std::min(shortest, needles_[i].needle.size());
  }
  const auto has_byte = [&](std::size_t begin, std::size_t i, std::size_t j) __attribute__((target("avx2"))) {
    __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + begin + offset[i][j]));
    if constexpr (masked) bytes = _mm256_or_si256(bytes, mask[i][j]);
    return _mm256_cmpeq_epi8(bytes, value[i][j]);
  };
  // Which of the needles that would begin in the 32 bytes from `begin` on have the two bytes.
  const auto candidates = [&](std::size_t begin) __attribute__((target("avx2"))) {
    __m256i any = _mm256_and_si256(has_byte(begin, 0, 0), has_byte(begin, 0, 1));
    for (std::size_t i = 1; i < count; ++i)
      any = _mm256_or_si256(any, _mm256_and_si256(has_byte(begin, i, 0), has_byte(begin, i, 1)));
    return any;
  };
  const auto needle_at = [&](std::size_t place) -> std::optional<Place> {
    for (std::size_t i = 0; i < count; ++i)
      if (needles_[i].is_at(text, place)) return Place{place, place + needles_[i].needle.size()};
    return {};
  };
  const auto look = [&](std::size_t begin, unsigned bits) -> std::optional<Place> {
    for (; bits != 0; bits &= bits - 1)
      if (const auto found = needle_at(begin + static_cast<std::size_t>(std::countr_zero(bits))))
        return found;
    return {};
  };
  std::size_t at = from;
  for (; at + reach + 2 * kStep <= text.size(); at += 2 * kStep) {
    const __m256i one = candidates(at);
    const __m256i two = candidates(at + kStep);
    const __m256i any = _mm256_or_si256(one, two);
    if (_mm256_testz_si256(any, any) != 0) continue;
    if (const auto found = look(at, static_cast<unsigned>(_mm256_movemask_epi8(one)))) return found;
    if (const auto found = look(at + kStep, static_cast<unsigned>(_mm256_movemask_epi8(two)))) return found;
  }
  for (; at + reach + kStep <= text.size(); at += kStep) {
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(candidates(at)));
    if (const auto found = look(at, bits)) return found;
  }
  // One more step, over places that were looked at already and those left.
  if (const std::size_t begin = text.size() - reach - kStep;
      text.size() >= reach + kStep && at < begin + kStep) {
    const unsigned left = ~0U << (at - begin);
    const auto bits = static_cast<unsigned>(_mm256_movemask_epi8(candidates(begin))) & left;
    if (const auto found = look(begin, bits)) return found;
    at = begin + kStep;
  }
  for (; at + shortest <= text.size(); ++at)
    if (const auto found = needle_at(at)) return found;
  return {};
}

template <std::size_t width>
__attribute__((target("avx2"))) std::optional<NeedleScan::Place> NeedleScan::find_windows_with_avx2(
    std::string_view text, std::size_t from) const {
  constexpr std::size_t kStep = 32;
  const char* const data = text.data();
  const __m256i low_half = _mm256_set1_epi8(0xF);
  const auto table = [&](const std::array<std::uint8_t, 16>& half) __attribute__((target("avx2"))) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(half.data())));
  };
  __m256i low[width];
  __m256i high[width];
  for (std::size_t place = 0; place < width; ++place) {
    low[place] = table(nibbles_[place].low);
    high[place] = table(nibbles_[place].high);
  }
  // The buckets whose windows may begin at each of the 32 bytes from `begin` on.
  const auto passed_at = [&](std::size_t begin) __attribute__((target("avx2"))) {
    __m256i passed = _mm256_set1_epi8(-1);
    for (std::size_t place = 0; place < width; ++place) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + begin + place));
      const __m256i by_low = _mm256_shuffle_epi8(low[place], _mm256_and_si256(bytes, low_half));
      const __m256i by_high =
          _mm256_shuffle_epi8(high[place], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_half));
      passed = _mm256_and_si256(passed, _mm256_and_si256(by_low, by_high));
    }
    return passed;
  };
  std::size_t at = from;
  for (; at + kStep + width - 1 <= text.size(); at += kStep) {
    const __m256i passed = passed_at(at);
    if (_mm256_testz_si256(passed, passed) != 0) continue;
    alignas(32) std::array<std::uint8_t, kStep> buckets;
    _mm256_store_si256(reinterpret_cast<__m256i*>(buckets.data()), passed);
    auto bits =
        ~static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(passed, _mm256_setzero_si256())));
    for (; bits != 0; bits &= bits - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(bits));
      if (const auto found = confirm(text, from, at + place, buckets[place])) return found;
    }
  }
  return find_slowly(text, from, at);
}

std::optional<NeedleScan::Place> NeedleScan::find_with_avx2(std::string_view text, std::size_t from) const {
  const bool masked = std::ranges::any_of(pairs_, &BytePair::is_masked);
  switch (pairs_.size()) {
    case 0: break;
    case 1:
      return masked ? find_pairs_with_avx2<1, true>(text, from) : find_pairs_with_avx2<1, false>(text, from);
    case 2:
      return masked ? find_pairs_with_avx2<2, true>(text, from) : find_pairs_with_avx2<2, false>(text, from);
    default:
      return masked ? find_pairs_with_avx2<3, true>(text, from) : find_pairs_with_avx2<3, false>(text, from);
  }
  if (width_ == 1) return find_windows_with_avx2<1>(text, from);
  return width_ == 2 ? find_windows_with_avx2<2>(text, from) : find_windows_with_avx2<3>(text, from);
}

#else

std::optional<NeedleScan::Place> NeedleScan::find_with_avx2(std::string_view text, std::size_t from) const {
  return find_portably(text, from);
}

#endif

}  // namespace helve::search
