#include "regex/byte_skip.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::regex {
namespace {

std::bitset<256> set_of(std::string_view bytes) {
  std::bitset<256> set;
  for (const char byte : bytes) set.set(static_cast<unsigned char>(byte));
  return set;
}

TEST(ByteSkip, FindsTheFirstByteOfTheSetAtEveryPosition) {
  for (const std::string_view bytes : {"x", "xy", "xy\xFF", "xyz!", "xyz!\xFF\x80"}) {
    const ByteSkip skip(set_of(bytes));
    for (const char wanted : bytes) {
      for (std::size_t length = 1; length < 70; ++length) {
        for (std::size_t place = 0; place < length; ++place) {
          std::string text(length, 'a');
          text[place] = wanted;
          text.back() = wanted;
          ASSERT_EQ(skip.next(text, 0, length), place);
        }
      }
    }
  }
}

TEST(ByteSkip, SearchesOnlyWithinItsBounds) {
  const std::string text = "x" + std::string(40, 'a') + "x";
  for (const std::string_view bytes : {"x", "xy", "xyz!"}) {
    const ByteSkip skip(set_of(bytes));
    EXPECT_EQ(skip.next(text, 1, 41), 41u);
    EXPECT_EQ(skip.next(text, 1, 42), 41u);
    EXPECT_EQ(skip.next(text, 5, 5), 5u);
  }
}

TEST(ByteSkip, AnEmptySetSkipsToTheEnd) { EXPECT_EQ(ByteSkip(set_of("")).next("abc", 1, 3), 3u); }

}  // namespace
}  // namespace helve::regex
