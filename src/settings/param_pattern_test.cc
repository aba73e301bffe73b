#include "settings/param_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace helve::settings {
namespace {

bool fits(std::string_view pattern, std::string_view text) {
  EXPECT_TRUE(compile_param_pattern(pattern)) << pattern;
  return matches_param_pattern(pattern, text);
}

TEST(ParamPattern, IsFoundAnywhereAndAnchorsAreTheEndsOfTheText) {
  EXPECT_TRUE(fits("b", "abc"));
  EXPECT_TRUE(fits("^[a-z]{3}$", "abc"));
  EXPECT_FALSE(fits("^[a-z]{3}$", "abcd"));
  EXPECT_FALSE(fits("^b$", "a\nb\nc"));
  EXPECT_TRUE(fits("a\\nb", "a\nb"));
}

TEST(ParamPattern, ReadsWhatOnlyEcmaScriptWrites) {
  EXPECT_TRUE(fits("^\\d+$", "123"));
  EXPECT_FALSE(fits("^\\d+$", "١٢٣"));
  EXPECT_FALSE(fits("^\\w$", "é"));
  EXPECT_TRUE(fits("^\\W$", "é"));
  EXPECT_TRUE(fits("^[\\w.-]+$", "a_b.c-d"));
  EXPECT_TRUE(fits("^[^\\W]$", "a"));
  EXPECT_TRUE(fits("^https?:\\/\\/", "https://x"));
  EXPECT_TRUE(fits("^\\u00e9$", "é"));
  EXPECT_TRUE(fits("^\\u{1F600}$", "😀"));
  EXPECT_TRUE(fits("^[[]$", "["));
  EXPECT_TRUE(fits("^[a&&b]+$", "a&b"));
  EXPECT_TRUE(fits("^\\<\\_\\>$", "<_>"));
  EXPECT_TRUE(fits("^.$", "é"));
  EXPECT_TRUE(fits("^\\uD83D\\uDE00$", "😀"));
  EXPECT_TRUE(fits("^\\s[\\s]$", "\u00A0\uFEFF"));
  EXPECT_FALSE(fits("^[^\\S]\\S$", "a\uFEFF"));
  EXPECT_TRUE(fits("^\\cJ[\\cj]$", "\n\n"));
}

TEST(ParamPattern, TakesLinearTimeForAnyPattern) {
  const std::string text = std::string(20'000, 'a') + "!";
  EXPECT_FALSE(fits("^(a+)+$", text));
  EXPECT_FALSE(fits("^(a|a)*$", text));
  EXPECT_TRUE(fits("^(a+)+!$", text));
}

TEST(ParamPattern, RefusesWhatIsNotALinearExpression) {
  for (const std::string_view pattern : {"(", "a{2,1}", "(?=a)", "(?!a)b", "(a)\\1"})
    EXPECT_FALSE(compile_param_pattern(pattern)) << pattern;
}

}  // namespace
}  // namespace helve::settings
