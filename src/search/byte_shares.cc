// How often each byte occurs in source code, so that searches look for the rare ones first.
#include <algorithm>
#include <array>
#include <cstdint>

#include "search/byte_pairs.h"
#include "search/needles.h"

namespace helve::search {
namespace {

// 255 + 16 * log2(share), at least 1: measured over C, C++, Python, JavaScript, JSON, Markdown and change
// logs.
constexpr std::array<std::uint8_t, 256> kShares = {
    120, 1,   1,   1,   1,   1,   1,   1,   1,   163, 174, 1,   1,   140, 1,   1,   1,   1,   1,   1,
    1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   210, 81,  145, 120, 65,  79,  104, 131,
    149, 149, 140, 97,  156, 145, 145, 146, 151, 133, 130, 119, 114, 108, 111, 100, 111, 103, 135, 140,
    127, 140, 137, 70,  73,  137, 115, 138, 132, 144, 124, 115, 110, 139, 61,  99,  131, 128, 132, 131,
    132, 80,  138, 140, 141, 120, 106, 106, 103, 94,  65,  107, 102, 107, 30,  175, 99,  177, 144, 170,
    169, 190, 158, 147, 154, 179, 99,  133, 167, 157, 177, 175, 161, 104, 179, 178, 185, 160, 141, 133,
    139, 136, 97,  119, 91,  119, 56,  1,   47,  5,   12,  1,   1,   1,   1,   1,   1,   1,   1,   1,
    1,   1,   1,   5,   1,   1,   1,   1,   46,  1,   14,  1,   1,   1,   1,   1,   1,   1,   1,   26,
    80,  1,   1,   1,   1,   1,   1,   1,   1,   6,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
    1,   1,   1,   1,   24,  1,   1,   1,   1,   1,   1,   1,   1,   1,   81,  23,  1,   1,   1,   1,
    1,   1,   1,   1,   1,   1,   17,  1,   36,  13,  1,   1,   1,   1,   1,   7,   1,   1,   1,   1,
    1,   1,   1,   1,   25,  1,   57,  1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,
    21,  1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1,   1};

constexpr auto kShareOfByte = [] {
  std::array<double, 256> shares{};
  for (std::size_t byte = 0; byte < shares.size(); ++byte) shares[byte] = share_from(kShares[byte]);
  return shares;
}();

}  // namespace

double share_of(unsigned char byte) { return kShareOfByte[byte]; }

double share_of(const ByteSet& set) {
  double sum = 0;
  for (std::size_t byte = set._Find_first(); byte < set.size(); byte = set._Find_next(byte))
    sum += kShareOfByte[byte];
  return std::min(sum, 1.0);
}

}  // namespace helve::search
