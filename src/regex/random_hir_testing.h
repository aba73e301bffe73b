// Builds patterns for tests, by hand or at random.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regex/hir.h"
#include "regex/look.h"

namespace helve::regex {

inline Hir literal(std::string_view bytes) {
  return {.kind = Hir::Kind::kLiteral, .bytes = std::string(bytes)};
}
inline Hir code_class(std::vector<CodeRange> ranges) {
  return {.kind = Hir::Kind::kClass, .codes = CodeSet(ranges)};
}
inline Hir byte_class(unsigned char first, unsigned char last) {
  Hir hir{.kind = Hir::Kind::kByteClass};
  for (unsigned byte = first; byte <= last; ++byte) hir.byte_set.set(byte);
  return hir;
}
inline Hir look_at(Look look) { return {.kind = Hir::Kind::kLook, .look = look}; }
inline Hir concatenation(std::vector<Hir> children) {
  return {.kind = Hir::Kind::kConcat, .children = std::move(children)};
}
inline Hir alternation(std::vector<Hir> children) {
  return {.kind = Hir::Kind::kAlternate, .children = std::move(children)};
}
inline Hir repetition(Hir child, std::uint32_t min, std::uint32_t max, bool greedy = true) {
  Hir hir{.kind = Hir::Kind::kRepeat, .greedy = greedy, .min = min, .max = max};
  hir.children.push_back(std::move(child));
  return hir;
}

// Draws patterns and texts that have much to do with each other; the same ones for the same seed.
class TestDraw {
 public:
  explicit TestDraw(std::uint32_t seed) : random_(seed) {}

  std::uint32_t number_below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Hir hir(int depth) {
    const std::uint32_t kind = depth == 0 ? number_below(6) : number_below(12);
    switch (kind) {
      case 0:
      case 1: return literal(piece());
      case 2: return code_class({{'a', 'c'}});
      case 3: return wide_class();
      case 4: return look_at(static_cast<Look>(number_below(kLookCount)));
      case 5: return number_below(3) == 0 ? byte_class(0x80, 0xFF) : Hir{};
      case 6:
      case 7: {
        const std::uint32_t min = number_below(3);
        const std::uint32_t max = number_below(2) == 0 ? Hir::kUnbounded : min + number_below(3);
        return repetition(hir(depth - 1), min, max, number_below(3) != 0);
      }
      case 8:
      case 9: return alternation(children(depth - 1));
      default: return concatenation(children(depth - 1));
    }
  }

  std::string text(std::uint32_t max_pieces) {
    std::string text;
    for (std::uint32_t count = number_below(max_pieces + 1); count > 0; --count) text += piece();
    return text;
  }

 private:
  std::vector<Hir> children(int depth) {
    std::vector<Hir> children;
    for (std::uint32_t count = 2 + number_below(2); count > 0; --count) children.push_back(hir(depth));
    return children;
  }

  Hir wide_class() {
    switch (number_below(4)) {
      case 0: return code_class({{0, '\n' - 1}, {'\n' + 1, kLastCodePoint}});
      case 1: return code_class({{'a', 'b'}, {0xE0, 0x1FF}, {0x4E00, 0x9FFF}});
      case 2: return code_class({{0x80, 0x2028}, {0x1F600, 0x1F64F}});
      default:
        return code_class({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xAA, 0xAA}, {0xB5, 0xF8}});
    }
  }

  std::string piece() {
    static constexpr std::string_view kPieces[] = {"a",
                                                   "b",
                                                   "a",
                                                   "b",
                                                   "c",
                                                   "ab",
                                                   "_",
                                                   "0",
                                                   " ",
                                                   "-",
                                                   "!",
                                                   "\n",
                                                   "\r",
                                                   "\r\n",
                                                   "\xC3\xA9",
                                                   "\xE2\x82\xAC",
                                                   "\xE4\xB8\xAD",
                                                   "\xF0\x9F\x98\x80",
                                                   "\xC3",
                                                   "\x80",
                                                   "\xFF",
                                                   "\xE2\x82"};
    return std::string(kPieces[number_below(std::size(kPieces))]);
  }

  std::mt19937 random_;
};

}  // namespace helve::regex
