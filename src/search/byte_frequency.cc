#include "search/byte_frequency.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ascii.h"

namespace helve::search {
namespace {

// 255 + 16 * log2(frequency), at least 1. Measured over C, C++, Python, JavaScript, JSON, Markdown and change
// logs.
constexpr std::array<std::uint8_t, 256> kFrequencies = {
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

constexpr auto kFrequencyOfByte = [] {
  std::array<double, 256> frequencies{};
  for (std::size_t byte = 0; byte < frequencies.size(); ++byte)
    frequencies[byte] = frequency_from(kFrequencies[byte]);
  return frequencies;
}();

constexpr std::size_t kKinds = ByteFrequencies::kKinds;

constexpr std::size_t kind_of(std::size_t byte) {
  if (is_lower(byte)) return byte - 'a';
  if (is_upper(byte)) return 26;
  if (is_digit(byte)) return 27;
  if (byte == '_') return 28;
  return byte == ' ' || byte == '\t' ? 29 : 30;
}

// For each pair of kinds: 255 + 16 * log2(frequency of the second after the first), at least 1. Measured over
// the same texts. Pairs matter: `dev` is common although none of its letters is.
constexpr std::array<std::uint8_t, kKinds * kKinds> kFollowers = {
    103, 172, 189, 187, 97,  132, 175, 100, 170, 87,  152, 201, 189, 201, 81,  176, 70,  203, 197, 214, 157,
    149, 122, 145, 154, 90,  121, 143, 154, 175, 179, 198, 134, 152, 154, 207, 132, 144, 120, 190, 180, 102,
    208, 140, 137, 195, 150, 79,  183, 172, 149, 204, 93,  95,  127, 186, 63,  137, 170, 179, 152, 198, 195,
    128, 152, 129, 201, 135, 99,  200, 165, 60,  189, 193, 155, 130, 214, 160, 98,  170, 153, 212, 162, 98,
    88,  117, 134, 46,  129, 154, 179, 179, 186, 187, 134, 134, 175, 228, 109, 128, 87,  193, 90,  70,  157,
    146, 111, 171, 138, 89,  177, 166, 141, 164, 114, 129, 130, 132, 14,  166, 148, 185, 210, 211, 174, 126,
    177, 185, 153, 181, 159, 87,  121, 106, 81,  178, 166, 196, 133, 154, 151, 203, 195, 194, 117, 174, 140,
    174, 143, 52,  163, 138, 176, 210, 206, 184, 123, 149, 147, 178, 190, 132, 89,  217, 2,   70,  174, 132,
    139, 204, 134, 99,  184, 176, 165, 175, 68,  125, 92,  138, 1,   124, 161, 167, 216, 204, 164, 136, 143,
    109, 217, 129, 151, 180, 194, 48,  75,  159, 164, 188, 170, 160, 51,  181, 190, 167, 168, 107, 97,  63,
    113, 72,  164, 144, 187, 205, 214, 208, 113, 127, 152, 227, 101, 86,  76,  203, 17,  77,  148, 134, 117,
    190, 130, 69,  174, 139, 188, 166, 101, 156, 49,  159, 94,  152, 140, 172, 192, 204, 155, 156, 189, 185,
    171, 192, 176, 71,  100, 44,  111, 184, 173, 225, 197, 163, 99,  171, 197, 199, 88,  168, 77,  136, 30,
    167, 104, 131, 153, 140, 167, 186, 103, 121, 129, 227, 106, 91,  136, 174, 97,  115, 96,  122, 109, 192,
    132, 107, 113, 228, 128, 182, 159, 141, 59,  67,  89,  143, 156, 154, 172, 198, 169, 174, 144, 132, 219,
    151, 135, 107, 181, 67,  80,  141, 150, 155, 140, 128, 101, 132, 187, 151, 150, 141, 143, 60,  99,  118,
    191, 145, 206, 200, 222, 200, 137, 124, 171, 217, 171, 127, 85,  207, 126, 155, 194, 115, 101, 199, 145,
    83,  117, 181, 178, 187, 144, 97,  121, 166, 50,  149, 141, 174, 186, 196, 213, 174, 152, 164, 218, 118,
    120, 105, 191, 81,  103, 162, 184, 129, 192, 199, 80,  118, 178, 147, 170, 112, 117, 122, 110, 29,  162,
    142, 187, 187, 192, 184, 103, 188, 197, 205, 166, 196, 87,  170, 77,  151, 153, 114, 149, 184, 136, 70,
    119, 198, 209, 169, 141, 68,  79,  134, 45,  149, 112, 164, 204, 199, 141, 157, 184, 193, 118, 182, 149,
    82,  166, 93,  152, 181, 188, 217, 171, 184, 50,  212, 168, 181, 188, 155, 168, 116, 92,  88,  133, 110,
    161, 185, 170, 211, 112, 164, 159, 209, 138, 123, 163, 184, 18,  125, 187, 139, 114, 197, 175, 61,  202,
    176, 195, 183, 117, 125, 93,  162, 41,  139, 140, 180, 169, 195, 120, 124, 147, 145, 173, 108, 87,  113,
    138, 30,  131, 150, 119, 115, 130, 153, 117, 160, 177, 125, 237, 87,  123, 112, 31,  51,  139, 143, 207,
    183, 218, 191, 115, 166, 161, 220, 135, 156, 74,  197, 24,  142, 143, 165, 185, 192, 128, 137, 176, 177,
    187, 188, 141, 105, 125, 167, 65,  148, 119, 172, 194, 200, 158, 130, 171, 123, 208, 122, 131, 166, 190,
    74,  158, 145, 136, 132, 172, 177, 85,  138, 184, 220, 168, 105, 133, 79,  148, 79,  149, 134, 174, 205,
    213, 195, 112, 154, 155, 205, 130, 77,  199, 198, 18,  103, 139, 138, 95,  188, 144, 79,  199, 170, 161,
    181, 91,  136, 142, 170, 60,  162, 136, 182, 210, 204, 160, 171, 201, 177, 196, 172, 152, 47,  170, 32,
    69,  195, 185, 206, 116, 182, 6,   210, 195, 199, 77,  78,  42,  154, 39,  59,  129, 180, 156, 138, 156,
    214, 140, 148, 150, 225, 125, 134, 96,  204, 1,   130, 136, 170, 119, 194, 140, 86,  131, 147, 125, 128,
    63,  76,  97,  71,  65,  119, 176, 184, 176, 213, 204, 129, 148, 161, 196, 110, 98,  197, 212, 36,  108,
    149, 155, 179, 198, 134, 137, 199, 169, 110, 89,  88,  150, 60,  47,  1,   161, 163, 192, 196, 196, 165,
    132, 171, 141, 177, 173, 127, 98,  167, 14,  40,  129, 133, 98,  107, 197, 118, 105, 165, 208, 101, 74,
    65,  158, 125, 46,  178, 225, 197, 183, 211, 123, 128, 136, 102, 146, 92,  148, 59,  143, 58,  58,  167,
    157, 179, 157, 214, 42,  169, 186, 186, 81,  102, 159, 50,  71,  91,  181, 109, 194, 219, 221, 189, 123,
    100, 117, 246, 138, 115, 116, 177, 64,  94,  130, 130, 109, 172, 121, 53,  129, 110, 105, 117, 63,  81,
    79,  155, 131, 153, 138, 146, 164, 203, 160, 102, 109, 111, 165, 111, 87,  142, 152, 45,  67,  129, 99,
    144, 167, 121, 73,  148, 119, 136, 138, 97,  74,  117, 127, 58,  245, 177, 203, 175, 189, 132, 129, 143,
    133, 132, 142, 76,  79,  82,  63,  97,  107, 91,  86,  73,  90,  47,  62,  92,  79,  75,  52,  29,  188,
    5,   40,  177, 238, 193, 190, 224, 171, 169, 186, 182, 169, 170, 156, 155, 182, 97,  130, 169, 170, 159,
    160, 183, 123, 180, 188, 182, 155, 157, 155, 113, 76,  93,  231, 167, 172, 114, 155, 164, 153, 168, 154,
    150, 157, 126, 136, 176, 80,  117, 143, 149, 149, 155, 155, 91,  167, 173, 172, 146, 139, 143, 92,  84,
    82,  192, 179, 127, 235, 215, 148, 138, 159, 162, 144, 141, 127, 143, 155, 100, 113, 143, 140, 149, 133,
    154, 87,  151, 172, 150, 136, 132, 119, 114, 63,  80,  173, 171, 124, 227, 236};

constexpr auto kKindOfByte = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (std::size_t byte = 0; byte < kinds.size(); ++byte)
    kinds[byte] = static_cast<std::uint8_t>(kind_of(byte));
  return kinds;
}();

// The frequency of the bytes of a set, per kind.
ByteFrequencies::KindFrequencies frequencies_by_kind(const ByteSet& set) {
  ByteFrequencies::KindFrequencies frequencies{};
  for (std::size_t byte = set._Find_first(); byte < set.size(); byte = set._Find_next(byte))
    frequencies[kKindOfByte[byte]] += frequency_of(static_cast<unsigned char>(byte));
  return frequencies;
}

double frequency_after(const ByteFrequencies::KindFrequencies& last,
                       const ByteFrequencies::KindFrequencies& next) {
  static const ByteFrequencies::KindFrequencies all = frequencies_by_kind(ByteSet().set());
  ByteFrequencies::KindFrequencies parts;
  for (std::size_t to = 0; to < kKinds; ++to) parts[to] = next[to] / all[to];
  double weight = 0;
  double sum = 0;
  for (std::size_t from = 0; from < kKinds; ++from) {
    if (last[from] == 0) continue;
    weight += last[from];
    for (std::size_t to = 0; to < kKinds; ++to) {
      if (parts[to] > 0) sum += last[from] * frequency_from(kFollowers[from * kKinds + to]) * parts[to];
    }
  }
  return weight > 0 ? std::min(sum / weight, 1.0) : 0;
}

}  // namespace

double frequency_of(unsigned char byte) { return kFrequencyOfByte[byte]; }

double frequency_of(const ByteSet& set) {
  double sum = 0;
  for (std::size_t byte = set._Find_first(); byte < set.size(); byte = set._Find_next(byte))
    sum += kFrequencyOfByte[byte];
  return std::min(sum, 1.0);
}

const ByteFrequencies::Facts& ByteFrequencies::of(const ByteSet& set) {
  const auto [place, is_new] = facts_.try_emplace(set);
  if (is_new) place->second = {frequency_of(set), frequencies_by_kind(set)};
  return place->second;
}

double ByteFrequencies::after(const Facts& last, const Facts& next) {
  const auto [place, is_new] = following_.try_emplace({&last, &next});
  if (is_new) place->second = frequency_after(last.by_kind, next.by_kind);
  return place->second;
}

}  // namespace helve::search
