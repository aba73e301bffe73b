// The search loops of NeedleScan for different instruction sets.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>

// For functions that are called only if the processor supports them.
#define HELVE_WITH_AVX2 __attribute__((target("avx2")))
#define HELVE_WITH_AVX512 __attribute__((target("avx512bw,avx512vbmi")))
#endif

#include "search/needle_scan.h"

namespace helve::search {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

}  // namespace

inline bool NeedleScan::Placed::is_at(std::string_view text, std::size_t begin) const {
  const std::size_t left = text.size() - begin;
  if (left < needle.size()) return false;
  if (literal.empty()) {
    for (std::size_t i = 0; i < needle.size(); ++i) {
      if (!needle[i].test(static_cast<unsigned char>(text[begin + i]))) return false;
    }
    return true;
  }
  if (left >= sizeof head) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + begin, sizeof bytes);
    if (((bytes ^ head) & head_mask) != 0) return false;
    if (literal.size() <= sizeof head) return true;
  }
  return std::memcmp(text.data() + begin, literal.data(), literal.size()) == 0;
}

inline std::optional<NeedleScan::Place> NeedleScan::confirm(std::string_view text, std::size_t from,
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

template <class Found>
inline bool NeedleScan::confirm_first(std::string_view text, std::size_t& from, std::size_t begin,
                                      std::uint64_t windows, std::span<const std::uint8_t> buckets,
                                      Found& found) const {
  for (; windows != 0; windows &= windows - 1) {
    const auto window = static_cast<std::size_t>(std::countr_zero(windows));
    if (const auto place = confirm(text, from, begin + window, buckets[window])) {
      from = found(*place);
      return true;
    }
  }
  return false;
}

template <class Found>
void NeedleScan::each_by_bytes(std::string_view text, std::size_t from, std::size_t at, Found found) const {
  while (at <= text.size() && text.size() - at >= width_) {
    const std::size_t window = at++;
    unsigned buckets = 0xFF;
    for (std::size_t place = 0; place < width_; ++place)
      buckets &= bucket_bits_[place][static_cast<unsigned char>(text[window + place])];
    if (buckets == 0) continue;
    if (const auto place = confirm(text, from, window, buckets)) from = at = found(*place);
  }
}

#if defined(__x86_64__)

template <std::size_t count, bool masked, class Found>
HELVE_WITH_AVX2 void NeedleScan::each_by_pairs(std::string_view text, std::size_t at, Found found) const {
  constexpr std::size_t kHalf = 32;
  constexpr std::size_t kStep = 2 * kHalf;
  const char* const data = text.data();
  __m256i value[count][2];
  __m256i mask[count][2];
  std::size_t offset[count][2];
  std::size_t reach = 0;
  std::size_t shortest = kNowhere;
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
  const auto has_byte = [&](std::size_t begin, std::size_t i, std::size_t j) HELVE_WITH_AVX2 {
    __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + begin + offset[i][j]));
    if constexpr (masked) bytes = _mm256_or_si256(bytes, mask[i][j]);
    return _mm256_cmpeq_epi8(bytes, value[i][j]);
  };
  // For each of the 32 bytes from `begin` on: whether both bytes of a needle that begins there match.
  const auto candidates = [&](std::size_t begin) HELVE_WITH_AVX2 {
    __m256i any = _mm256_and_si256(has_byte(begin, 0, 0), has_byte(begin, 0, 1));
    for (std::size_t i = 1; i < count; ++i)
      any = _mm256_or_si256(any, _mm256_and_si256(has_byte(begin, i, 0), has_byte(begin, i, 1)));
    return any;
  };
  const auto bits_of = [&](__m256i found_at) HELVE_WITH_AVX2 {
    return std::uint64_t{static_cast<unsigned>(_mm256_movemask_epi8(found_at))};
  };
  const auto needle_at = [&](std::size_t place) -> std::optional<Place> {
    for (std::size_t i = 0; i < count; ++i)
      if (needles_[i].is_at(text, place)) return Place{place, place + needles_[i].needle.size()};
    return {};
  };
  if (text.size() >= reach + kStep) {
    const std::size_t last = text.size() - reach - kStep;
    while (at < last + kStep) {
      // The last step overlaps with positions that were already checked.
      const std::size_t begin = std::min(at, last);
      const __m256i one = candidates(begin);
      const __m256i two = candidates(begin + kHalf);
      const __m256i any = _mm256_or_si256(one, two);
      const std::size_t looked_at = at - begin;
      at = begin + kStep;
      if (_mm256_testz_si256(any, any) != 0) continue;
      std::uint64_t bits = (bits_of(one) | bits_of(two) << kHalf) & ~std::uint64_t{0} << looked_at;
      for (; bits != 0; bits &= bits - 1) {
        const auto place = needle_at(begin + static_cast<std::size_t>(std::countr_zero(bits)));
        if (!place) continue;
        at = found(*place);
        break;
      }
    }
  }
  while (at <= text.size() && text.size() - at >= shortest) {
    const auto place = needle_at(at);
    at = place ? found(*place) : at + 1;
  }
}

template <std::size_t width, class Found>
HELVE_WITH_AVX2 void NeedleScan::each_by_nibbles(std::string_view text, std::size_t from, Found found) const {
  constexpr std::size_t kStep = 32;
  const __m256i low_half = _mm256_set1_epi8(0xF);
  const auto table = [&](const std::array<std::uint8_t, 16>& half) HELVE_WITH_AVX2 {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(half.data())));
  };
  const __m256i low[] = {table(nibbles_[0].low), table(nibbles_[1].low), table(nibbles_[2].low)};
  const __m256i high[] = {table(nibbles_[0].high), table(nibbles_[1].high), table(nibbles_[2].high)};
  const auto looked_up = [&](std::size_t begin, std::size_t place) HELVE_WITH_AVX2 {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + begin + place));
    const __m256i by_low = _mm256_shuffle_epi8(low[place], _mm256_and_si256(bytes, low_half));
    const __m256i by_high =
        _mm256_shuffle_epi8(high[place], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_half));
    return _mm256_and_si256(by_low, by_high);
  };
  // The buckets whose windows may begin at each of the 32 bytes from `begin` on.
  const auto passed_at = [&](std::size_t begin) HELVE_WITH_AVX2 {
    __m256i passed = looked_up(begin, 0);
    if constexpr (width > 1) passed = _mm256_and_si256(passed, looked_up(begin, 1));
    if constexpr (width > 2) passed = _mm256_and_si256(passed, looked_up(begin, 2));
    return passed;
  };
  std::size_t at = from;
  while (at <= text.size() && text.size() - at >= kStep + width - 1) {
    const std::size_t begin = at;
    const __m256i passed = passed_at(begin);
    at += kStep;
    if (_mm256_testz_si256(passed, passed) != 0) continue;
    alignas(32) std::array<std::uint8_t, kStep> buckets;
    _mm256_store_si256(reinterpret_cast<__m256i*>(buckets.data()), passed);
    const auto bits =
        ~static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(passed, _mm256_setzero_si256())));
    if (confirm_first(text, from, begin, bits, buckets, found)) at = from;
  }
  each_by_bytes(text, from, at, found);
}

// Looks up a byte by its lower six bits in one instruction, which distinguishes letters from nearly all other
// characters.
template <std::size_t width, class Found>
HELVE_WITH_AVX512 void NeedleScan::each_by_six_bits(std::string_view text, std::size_t from,
                                                    Found found) const {
  constexpr std::size_t kStep = 64;
  const __m512i tables[] = {_mm512_loadu_si512(six_bits_[0].data()), _mm512_loadu_si512(six_bits_[1].data()),
                            _mm512_loadu_si512(six_bits_[2].data())};
  const auto looked_up = [&](std::size_t begin, std::uint64_t wanted, std::size_t place) HELVE_WITH_AVX512 {
    const __m512i bytes = _mm512_maskz_loadu_epi8(wanted, text.data() + begin + place);
    return _mm512_maskz_permutexvar_epi8(wanted, bytes, tables[place]);
  };
  // The buckets whose windows may begin at each of the wanted bytes from `begin` on.
  const auto passed_at = [&](std::size_t begin, std::uint64_t wanted) HELVE_WITH_AVX512 {
    __m512i passed = looked_up(begin, wanted, 0);
    if constexpr (width > 1) passed = _mm512_and_si512(passed, looked_up(begin, wanted, 1));
    if constexpr (width > 2) passed = _mm512_and_si512(passed, looked_up(begin, wanted, 2));
    return passed;
  };
  std::size_t at = from;
  while (at <= text.size() && text.size() - at >= width) {
    const std::size_t begin = at;
    const std::size_t windows = text.size() - at - (width - 1);
    at += kStep;
    const __m512i passed = windows >= kStep ? passed_at(begin, ~std::uint64_t{0})
                                            : passed_at(begin, (std::uint64_t{1} << windows) - 1);
    const std::uint64_t bits = _mm512_test_epi8_mask(passed, passed);
    if (bits == 0) continue;
    alignas(kStep) std::array<std::uint8_t, kStep> buckets;
    _mm512_store_si512(buckets.data(), passed);
    if (confirm_first(text, from, begin, bits, buckets, found)) at = from;
  }
}

template <std::size_t width, class Found>
void NeedleScan::each_by_windows(std::string_view text, std::size_t from, Found found) const {
  if (six_bits_are_enough_) return each_by_six_bits<width>(text, from, found);
  each_by_nibbles<width>(text, from, found);
}

template <class Found>
void NeedleScan::each(std::string_view text, std::size_t from, Found found) const {
  if (processor_ == Processor::kAny) return each_by_bytes(text, from, from, found);
  switch (pairs_.size()) {
    case 0: break;
    case 1:
      return masked_ ? each_by_pairs<1, true>(text, from, found) : each_by_pairs<1, false>(text, from, found);
    case 2:
      return masked_ ? each_by_pairs<2, true>(text, from, found) : each_by_pairs<2, false>(text, from, found);
    default:
      return masked_ ? each_by_pairs<3, true>(text, from, found) : each_by_pairs<3, false>(text, from, found);
  }
  if (width_ == 1) return each_by_windows<1>(text, from, found);
  return width_ == 2 ? each_by_windows<2>(text, from, found) : each_by_windows<3>(text, from, found);
}

#else

template <class Found>
void NeedleScan::each(std::string_view text, std::size_t from, Found found) const {
  each_by_bytes(text, from, from, found);
}

#endif

std::optional<NeedleScan::Place> NeedleScan::find(std::string_view text, std::size_t from) const {
  std::optional<Place> first;
  each(text, from, [&](const Place& place) {
    first = place;
    return kNowhere;
  });
  return first;
}

std::size_t NeedleScan::count_lines(std::string_view text, std::size_t from) const {
  std::size_t lines = 0;
  each(text, from, [&](const Place& place) {
    ++lines;
    const void* const end = std::memchr(text.data() + place.begin, '\n', text.size() - place.begin);
    return end == nullptr ? kNowhere
                          : static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
  });
  return lines;
}

}  // namespace helve::search
