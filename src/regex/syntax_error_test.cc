// Error messages for invalid patterns, and their suggestions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "regex/syntax.h"

namespace helve::regex {
namespace {

Error error_for(std::string_view pattern, const SyntaxOptions& options = {}) {
  const auto hir = parse(pattern, options);
  EXPECT_FALSE(hir.has_value()) << pattern;
  return hir ? Error{} : hir.error();
}

std::string suggestion(std::string_view pattern) {
  const Error error = error_for(pattern);
  const Json* found = error.details.find("suggestion");
  return found == nullptr ? "" : found->as_string();
}

TEST(SyntaxError, NamesPositionAndProblem) {
  const Error error = error_for("abcd(ef");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, "The pattern is not valid at character 5: \"(\" is never closed.");
  EXPECT_EQ(error.hint, "To find this exact text, use the pattern: abcd\\(ef");
  EXPECT_EQ(error.details, (JsonObject{{"pattern", "abcd(ef"},
                                       {"offset", 4},
                                       {"length", 1},
                                       {"picture", "abcd(ef\n    ^"},
                                       {"suggestion", "abcd\\(ef"}}));
}

TEST(SyntaxError, CountsCharactersNotBytes) {
  const Error error = error_for("ééé[z-a]");
  EXPECT_EQ(error.message, "The pattern is not valid at character 5: the range is reversed.");
  EXPECT_EQ(error.details.find("picture")->as_string(), "ééé[z-a]\n    ^^^");
}

TEST(SyntaxError, PointsAtTheInnermostOpenGroup) {
  EXPECT_EQ(error_for("(a(b").details.find("offset")->as_integer(), 2);
  EXPECT_EQ(error_for("a(b))").details.find("offset")->as_integer(), 4);
}

TEST(SyntaxError, ThePictureOfALongPatternShowsTheProblem) {
  const std::string pattern = std::string(200, 'a') + "(" + std::string(200, 'b');
  const std::string picture = error_for(pattern).details.find("picture")->as_string();
  const std::size_t line_end = picture.find('\n');
  EXPECT_LT(picture.size(), 200u);
  EXPECT_TRUE(picture.starts_with("…aaa"));
  // The leading `…` has three bytes but one column.
  EXPECT_EQ(picture[picture.find('^') - line_end - 1 + 2], '(');
}

TEST(SyntaxError, SuggestsUnescapedTextInEscapedForm) {
  EXPECT_EQ(suggestion("foo("), R"(foo\()");
  EXPECT_EQ(suggestion("a["), R"(a\[)");
  EXPECT_EQ(suggestion("std::vector<int>(*p"), R"(std::vector<int>\(\*p)");
  EXPECT_EQ(suggestion("if (x) {"), R"(if \(x\) \{)");
  EXPECT_EQ(suggestion("map[string]interface{}"), R"(map\[string\]interface\{\})");
  EXPECT_EQ(suggestion("a || (b"), R"(a \|\| \(b)");
  EXPECT_EQ(suggestion(R"(C:\Users)"), R"(C:\\Users)");
  EXPECT_EQ(suggestion("*p"), R"(\*p)");
  EXPECT_EQ(suggestion("{"), R"(\{)");
}

TEST(SyntaxError, EscapesOnlyTheMistakeInARegularExpression) {
  EXPECT_EQ(suggestion(R"(^foo\s*(bar)"), R"(^foo\s*\(bar)");
  EXPECT_EQ(suggestion(R"(\w+(.*{)"), R"(\w+\(.*\{)");
  EXPECT_EQ(suggestion("foo|bar("), R"(foo|bar\()");
  EXPECT_EQ(error_for(R"(^foo(bar)").hint, R"(To match it literally, use the pattern: ^foo\(bar)");
}

TEST(SyntaxError, SuggestionsAreValid) {
  for (const char* pattern :
       {"foo(", "a[", "x{", "*a", "(((", "[[[", ")))", "a{2", "\\", "\\y(", "^(a{", "foo.*)("}) {
    const std::string better = suggestion(pattern);
    ASSERT_FALSE(better.empty()) << pattern;
    EXPECT_TRUE(parse(better, {}).has_value()) << better;
  }
}

TEST(SyntaxError, SuggestsFindAndFilePatternForGlobs) {
  for (const char* glob : {"*.cc", "**/*.ts", "*.{h,cc}", "*_test.go", "*test*"}) {
    const Error error = error_for(glob);
    EXPECT_EQ(error.hint,
              "This looks like a glob. Pass it to find, or as filePattern together with a pattern for the "
              "contents.")
        << glob;
    EXPECT_EQ(error.details.find("suggestion"), nullptr) << glob;
  }
}

TEST(SyntaxError, ExplainsLookAroundAndSuggestsThePatternWithoutIt) {
  const Error error = error_for(R"(foo(?=\(bar\))baz(?<!x))");
  EXPECT_EQ(error.message, "The pattern is not valid at character 4: look-around is not supported.");
  EXPECT_EQ(
      error.hint,
      "Matching takes time linear in the text, which rules out look-around. Search for the part without it "
      "and filter the results. Without look-around the pattern is: foobaz");
  EXPECT_EQ(suggestion("(?!x)"), "") << "the rest is empty";
}

TEST(SyntaxError, NamesUnsupportedFeaturesOfOtherEngines) {
  EXPECT_EQ(error_for(R"((a)\1)").message,
            R"(The pattern is not valid at character 4: the back-reference "\1" is not supported.)");
  EXPECT_THAT(error_for(R"((?P<q>a)(?P=q))").message, ::testing::HasSubstr("references to groups"));
  EXPECT_THAT(error_for(R"(\k<q>)").message, ::testing::HasSubstr("back-reference"));
  EXPECT_THAT(error_for("(?>a)").message, ::testing::HasSubstr("atomic groups"));
  EXPECT_THAT(error_for("(?#a)").message, ::testing::HasSubstr("comments"));
  EXPECT_THAT(error_for("(?|a|b)").message, ::testing::HasSubstr("branch resets"));
  EXPECT_EQ(error_for(R"(a\Z)").hint, R"(The end of the text is \z, the end of a line is $.)");
  EXPECT_EQ(error_for(R"(\h)").hint, R"(Horizontal space is [ \t].)");
  EXPECT_EQ(error_for("(?q)a").message, "The pattern is not valid at character 3: there is no flag \"q\".");
}

TEST(SyntaxError, SuggestsTheNearestNameForUnknownProperties) {
  EXPECT_EQ(error_for(R"(\p{Gree})").hint, R"(Did you mean \p{Greek}?)");
  EXPECT_EQ(error_for(R"(\p{sc=Cyrilic})").hint, R"(Did you mean \p{sc=Cyrillic}?)");
  EXPECT_THAT(error_for(R"(\p{Block=Arrows})").hint, ::testing::HasSubstr("sc (script)"));
  EXPECT_THAT(error_for(R"(\p{qqqqqqqq})").hint, ::testing::HasSubstr(R"(\p{Greek})"));
  EXPECT_THAT(error_for(R"((?-u)\pL)").message, ::testing::HasSubstr("(?-u)"));
}

TEST(SyntaxError, PointsAtALineBreakAndSuggestsMultiline) {
  const Error error = error_for(R"(foo\nbar)");
  EXPECT_EQ(
      error.message,
      "The pattern is not valid at character 4: the pattern requires a line break, but matches stay within "
      "one line.");
  EXPECT_THAT(error.hint, ::testing::HasSubstr("multiline"));
  EXPECT_EQ(error.details.find("length")->as_integer(), 2);
  EXPECT_EQ(error_for("a\nb", {.literal = true}).details.find("offset")->as_integer(), 1);
  EXPECT_EQ(error_for(R"(ab[\r\n])", {.crlf = true}).details.find("offset")->as_integer(), 2);
  EXPECT_TRUE(parse(R"(\r)", {}).has_value());
  EXPECT_FALSE(parse(R"(\r)", {.crlf = true}).has_value());
}

TEST(SyntaxError, RejectsPatternsThatAreNotUtf8) {
  EXPECT_EQ(error_for("ab\xFF").message, "The pattern is not valid UTF-8 at byte 3.");
  EXPECT_EQ(error_for("ab\xFF").hint, R"(Write bytes that are not UTF-8 as (?-u:\xFF).)");
}

}  // namespace
}  // namespace helve::regex
