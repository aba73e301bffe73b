#include "regex/look.h"

#include <gtest/gtest.h>

namespace helve::regex {
namespace {

// The positions in `text` where `look` holds.
std::vector<std::size_t> places_of(Look look, std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at <= text.size(); ++at)
    if (look_holds(look, text, at)) places.push_back(at);
  return places;
}

using Places = std::vector<std::size_t>;

TEST(Look, LinesBeginAfterAndEndBeforeLineFeeds) {
  EXPECT_EQ(places_of(Look::kTextStart, "a\nb\n"), Places({0}));
  EXPECT_EQ(places_of(Look::kTextEnd, "a\nb\n"), Places({4}));
  EXPECT_EQ(places_of(Look::kLineStart, "a\nb\n"), Places({0, 2, 4}));
  EXPECT_EQ(places_of(Look::kLineEnd, "a\nb\n"), Places({1, 3, 4}));
}

TEST(Look, NothingHoldsBetweenCarriageReturnAndLineFeed) {
  EXPECT_EQ(places_of(Look::kLineStartCrlf, "a\r\nb\rc\n"), Places({0, 3, 5, 7}));
  EXPECT_EQ(places_of(Look::kLineEndCrlf, "a\r\nb\rc\n"), Places({1, 4, 6, 7}));
}

TEST(Look, WordsAreUnicodeOrAscii) {
  const std::string_view text =
      "\xC3\xA9"
      "a b";
  EXPECT_EQ(places_of(Look::kWordBoundary, text), Places({0, 3, 4, 5}));
  EXPECT_EQ(places_of(Look::kWordBoundaryAscii, text), Places({2, 3, 4, 5}));
  EXPECT_EQ(places_of(Look::kWordStart, text), Places({0, 4}));
  EXPECT_EQ(places_of(Look::kWordEnd, text), Places({3, 5}));
  EXPECT_EQ(places_of(Look::kWordStartAscii, text), Places({2, 4}));
  EXPECT_EQ(places_of(Look::kWordEndAscii, text), Places({3, 5}));
}

TEST(Look, NegativeWordLooksDoNotSplitCharacters) {
  const std::string_view text = "\xE2\x82\xAC-";
  EXPECT_EQ(places_of(Look::kNotWordBoundary, text), Places({0, 3, 4}));
  EXPECT_EQ(places_of(Look::kNotWordBoundaryAscii, text), Places({0, 1, 2, 3, 4}));
  EXPECT_EQ(places_of(Look::kWordStartHalf, text), Places({0, 3, 4}));
  EXPECT_EQ(places_of(Look::kWordEndHalf, text), Places({0, 3, 4}));
}

TEST(Look, MalformedTextIsNotAWord) {
  EXPECT_EQ(places_of(Look::kWordBoundary,
                      "\xFF"
                      "a\xFF"),
            Places({1, 2}));
  EXPECT_EQ(places_of(Look::kNotWordBoundary, "\xFF\xFF"), Places());
  EXPECT_EQ(places_of(Look::kWordStartHalf, "\xFF"), Places({0}));
}

TEST(Look, StrayContinuationBytesBelongToTheCharacterBefore) {
  EXPECT_EQ(places_of(Look::kWordBoundary, "a\x80 "), Places({0, 1, 2}));
  EXPECT_EQ(places_of(Look::kWordStart,
                      "a\x80"
                      "b"),
            Places({0}));
}

TEST(Look, FlippedTwiceIsTheSame) {
  for (int i = 0; i < kLookCount; ++i) {
    const auto look = static_cast<Look>(i);
    EXPECT_EQ(flipped(flipped(look)), look);
  }
  EXPECT_EQ(flipped(Look::kWordStart), Look::kWordEnd);
  EXPECT_EQ(flipped(Look::kWordBoundary), Look::kWordBoundary);
}

TEST(Look, FlippedHoldsInTheReversedText) {
  const std::string text = "a b\nc_-\n\n1";
  const std::string reversed(text.rbegin(), text.rend());
  for (int i = 0; i < kLookCount; ++i) {
    const auto look = static_cast<Look>(i);
    for (std::size_t at = 0; at <= text.size(); ++at)
      EXPECT_EQ(look_holds(look, text, at), look_holds(flipped(look), reversed, text.size() - at))
          << "look " << i << " at " << at;
  }
}

}  // namespace
}  // namespace helve::regex
