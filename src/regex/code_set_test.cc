// Compares the set operations with an array of booleans.
#include "regex/code_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>

namespace helve::regex {
namespace {

constexpr char32_t kUniverse = 64;

std::bitset<kUniverse> members(const CodeSet& set) {
  std::bitset<kUniverse> bits;
  for (char32_t code = 0; code < kUniverse; ++code) bits[code] = set.contains(code);
  return bits;
}

void expect_tidy(const CodeSet& set) {
  const auto ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LE(ranges[i].first, ranges[i].last);
    EXPECT_TRUE(i == 0 || ranges[i].first > ranges[i - 1].last + 1) << "ranges overlap or touch";
  }
}

CodeSet random_set(std::mt19937& random) {
  CodeSet set;
  for (auto ranges = random() % 6; ranges > 0; --ranges) {
    const auto first = static_cast<char32_t>(random() % kUniverse);
    set.add(CodeRange{first, std::min(first + static_cast<char32_t>(random() % 9), kUniverse - 1)});
  }
  return set;
}

TEST(CodeSet, MergesRangesThatOverlapOrTouch) {
  EXPECT_EQ(CodeSet({{{'d', 'f'}, {'a', 'c'}, {'e', 'h'}}}), CodeSet({{{'a', 'h'}}}));
  EXPECT_EQ(CodeSet({{{'x', 'x'}, {'a', 'a'}}}).ranges().size(), 2u);
  CodeSet set({{{'a', 'b'}, {'g', 'h'}}});
  set.add(CodeRange{'c', 'f'});
  EXPECT_EQ(set, CodeSet({{{'a', 'h'}}}));
}

TEST(CodeSet, AddsARangeBeforeBetweenAndOverOthers) {
  CodeSet set({{{10, 20}, {30, 40}, {50, 60}}});
  set.add(CodeRange{0, 5});
  set.add(CodeRange{25, 25});
  EXPECT_EQ(set, CodeSet({{{0, 5}, {10, 20}, {25, 25}, {30, 40}, {50, 60}}}));
  set.add(CodeRange{15, 35});
  EXPECT_EQ(set, CodeSet({{{0, 5}, {10, 40}, {50, 60}}}));
}

TEST(CodeSet, ComplementReachesBothEnds) {
  EXPECT_EQ(CodeSet().complement(), CodeSet::everything());
  EXPECT_TRUE(CodeSet::everything().complement().empty());
  EXPECT_EQ(CodeSet::single('a').complement(), CodeSet({{{0, '`'}, {'b', kLastCodePoint}}}));
  EXPECT_EQ(CodeSet({{{0x80, kLastCodePoint}}}).complement(), CodeSet({{{0, 0x7F}}}));
}

TEST(CodeSet, CountsCodePointsAndDetectsAscii) {
  EXPECT_EQ(CodeSet({{{'a', 'z'}, {'0', '9'}}}).size(), 36u);
  EXPECT_EQ(CodeSet::everything().size(), 0x110000u);
  EXPECT_TRUE(CodeSet({{{0, 0x7F}}}).ascii());
  EXPECT_FALSE(CodeSet({{{0, 0x80}}}).ascii());
  EXPECT_TRUE(CodeSet().ascii());
}

TEST(CodeSet, OperationsAgreeWithBooleans) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const CodeSet left = random_set(random);
    const CodeSet right = random_set(random);
    const auto left_bits = members(left);
    const auto right_bits = members(right);
    CodeSet both = left;
    both.add(right);
    const CodeSet results[] = {left,
                               both,
                               left.intersection(right),
                               left.difference(right),
                               left.symmetric_difference(right),
                               left.complement()};
    const std::bitset<kUniverse> expected[] = {left_bits,
                                               left_bits | right_bits,
                                               left_bits & right_bits,
                                               left_bits & ~right_bits,
                                               left_bits ^ right_bits,
                                               ~left_bits};
    for (std::size_t i = 0; i < std::size(results); ++i) {
      expect_tidy(results[i]);
      ASSERT_EQ(members(results[i]), expected[i]) << "operation " << i << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace helve::regex
