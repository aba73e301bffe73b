#include "regex/byte_skip.h"

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>

#include "base/ascii.h"
#endif

namespace helve::regex {
namespace {

#ifdef __SSE2__
__m128i load(const char* place) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(place)); }

// Searches whole blocks of 16 bytes for any of three bytes. Returns its position, or where the rest begins if
// there is none.
std::size_t find_of_three(const char* text, std::size_t at, std::size_t end,
                          const std::array<unsigned char, 3>& bytes, bool& found) {
  const __m128i a = _mm_set1_epi8(static_cast<char>(bytes[0]));
  const __m128i b = _mm_set1_epi8(static_cast<char>(bytes[1]));
  const __m128i c = _mm_set1_epi8(static_cast<char>(bytes[2]));
  for (; end - at >= 16; at += 16) {
    const __m128i block = load(text + at);
    const __m128i equal = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, a), _mm_cmpeq_epi8(block, b)),
                                       _mm_cmpeq_epi8(block, c));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(equal));
    if (mask != 0) {
      found = true;
      return at + static_cast<std::size_t>(std::countr_zero(mask));
    }
  }
  return at;
}
#endif

}  // namespace

unsigned ByteSkip::expected_frequency(unsigned char byte) {
  if (byte == ' ' || byte == '\t') return 100;
  if (byte == '\n') return 35;
  if (std::string_view("etrsinao").contains(static_cast<char>(byte))) return 45;
  if (is_lower(byte)) return 16;
  if (std::string_view("_,;()").contains(static_cast<char>(byte))) return 16;
  if (is_digit(byte)) return 8;
  if (is_upper(byte)) return 5;
  if (byte > ' ' && byte < 0x7F) return 4;
  return 0;
}

ByteSkip::ByteSkip(const std::bitset<256>& bytes) : count_(bytes.count()) {
  std::size_t place = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    wanted_[byte] = bytes.test(byte);
    if (wanted_[byte] && place < few_.size()) few_[place++] = static_cast<unsigned char>(byte);
  }
  // Fill up with copies, which do not change the result.
  for (; place > 0 && place < few_.size(); ++place) few_[place] = few_[0];
}

std::size_t ByteSkip::next(std::string_view text, std::size_t at, std::size_t end) const {
  if (count_ == 0) return end;
  if (count_ == 1) {
    const void* place = std::memchr(text.data() + at, few_[0], end - at);
    return place == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(place) - text.data());
  }
#ifdef __SSE2__
  if (count_ <= few_.size()) {
    bool found = false;
    at = find_of_three(text.begin(), at, end, few_, found);
    if (found) return at;
  }
#endif
  const auto is_wanted = [&](std::size_t place) { return wanted_[static_cast<unsigned char>(text[place])]; };
  for (; end - at >= 4; at += 4) {
    if (is_wanted(at)) return at;
    if (is_wanted(at + 1)) return at + 1;
    if (is_wanted(at + 2)) return at + 2;
    if (is_wanted(at + 3)) return at + 3;
  }
  while (at < end && !is_wanted(at)) ++at;
  return at;
}

}  // namespace helve::regex
