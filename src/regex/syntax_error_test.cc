// How refusals read, and what they suggest.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "regex/syntax.h"

namespace helve::regex {
namespace {

Error refusal(std::string_view pattern, const SyntaxOptions& options = {}) {
  const auto hir = parse(pattern, options);
  EXPECT_FALSE(hir.has_value()) << pattern;
  return hir ? Error{} : hir.error();
}

std::string suggestion(std::string_view pattern) {
  const Error error = refusal(pattern);
  const Json* found = error.details.find("suggestion");
  return found == nullptr ? "" : found->as_string();
}

TEST(SyntaxError, SaysWhereAndWhat) {
  const Error error = refusal("abcd(ef");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, "The pattern is not valid at character 5: \"(\" is never closed.");
  EXPECT_EQ(error.hint, "To find this text as it stands, use the pattern: abcd\\(ef");
  EXPECT_EQ(error.details, (JsonObject{{"pattern", "abcd(ef"},
                                       {"offset", 4},
                                       {"length", 1},
                                       {"picture", "abcd(ef\n    ^"},
                                       {"suggestion", "abcd\\(ef"}}));
}

TEST(SyntaxError, CountsCharactersNotBytes) {
  const Error error = refusal("ééé[z-a]");
  EXPECT_EQ(error.message, "The pattern is not valid at character 5: the range ends before it begins.");
  EXPECT_EQ(error.details.find("picture")->as_string(), "ééé[z-a]\n    ^^^");
}

TEST(SyntaxError, TheInnermostOpenGroupIsPointedAt) {
  EXPECT_EQ(refusal("(a(b").details.find("offset")->as_integer(), 2);
  EXPECT_EQ(refusal("a(b))").details.find("offset")->as_integer(), 4);
}

TEST(SyntaxError, ThePictureOfALongPatternShowsThePlace) {
  const std::string pattern = std::string(200, 'a') + "(" + std::string(200, 'b');
  const std::string picture = refusal(pattern).details.find("picture")->as_string();
  const std::size_t line_end = picture.find('\n');
  EXPECT_LT(picture.size(), 200u);
  EXPECT_TRUE(picture.starts_with("…aaa"));
  // The mark of three bytes before the text is one column wide.
  EXPECT_EQ(picture[picture.find('^') - line_end - 1 + 2], '(');
}

TEST(SyntaxError, TextThatNobodyEscapedIsSuggestedEscaped) {
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

TEST(SyntaxError, AMistakeInARegularExpressionIsEscapedWhereItIs) {
  EXPECT_EQ(suggestion(R"(^foo\s*(bar)"), R"(^foo\s*\(bar)");
  EXPECT_EQ(suggestion(R"(\w+(.*{)"), R"(\w+\(.*\{)");
  EXPECT_EQ(suggestion("foo|bar("), R"(foo|bar\()");
  EXPECT_EQ(refusal(R"(^foo(bar)").hint, R"(If it is meant as text there, use the pattern: ^foo\(bar)");
}

TEST(SyntaxError, SuggestionsAreValid) {
  for (const char* pattern :
       {"foo(", "a[", "x{", "*a", "(((", "[[[", ")))", "a{2", "\\", "\\y(", "^(a{", "foo.*)("}) {
    const std::string better = suggestion(pattern);
    ASSERT_FALSE(better.empty()) << pattern;
    EXPECT_TRUE(parse(better, {}).has_value()) << better;
  }
}

TEST(SyntaxError, GlobsAreSentToWhereTheyBelong) {
  for (const char* glob : {"*.cc", "**/*.ts", "*.{h,cc}", "*_test.go", "*test*"}) {
    const Error error = refusal(glob);
    EXPECT_EQ(
        error.hint,
        "This looks like a glob. Globs for file names go to find, or to filePattern beside a pattern for "
        "what is in the files.")
        << glob;
    EXPECT_EQ(error.details.find("suggestion"), nullptr) << glob;
  }
}

TEST(SyntaxError, LookAroundIsExplainedAndLeftOut) {
  const Error error = refusal(R"(foo(?=\(bar\))baz(?<!x))");
  EXPECT_EQ(error.message, "The pattern is not valid at character 4: look-around is not supported.");
  EXPECT_EQ(
      error.hint,
      "Matching takes time linear in the text, which rules out look-around. Search for the part without it "
      "and filter what it finds. Without look-around the pattern is: foobaz");
  EXPECT_EQ(suggestion("(?!x)"), "") << "nothing would be left";
}

TEST(SyntaxError, WhatOtherEnginesHaveIsNamed) {
  EXPECT_EQ(refusal(R"((a)\1)").message,
            R"(The pattern is not valid at character 4: the back-reference "\1" is not supported.)");
  EXPECT_NE(refusal(R"((?P<q>a)(?P=q))").message.find("references to groups"), std::string::npos);
  EXPECT_NE(refusal(R"(\k<q>)").message.find("back-reference"), std::string::npos);
  EXPECT_NE(refusal("(?>a)").message.find("atomic groups"), std::string::npos);
  EXPECT_NE(refusal("(?#a)").message.find("comments"), std::string::npos);
  EXPECT_NE(refusal("(?|a|b)").message.find("branch resets"), std::string::npos);
  EXPECT_EQ(refusal(R"(a\Z)").hint, R"(The end of the text is \z, the end of a line is $.)");
  EXPECT_EQ(refusal(R"(\h)").hint, R"(Horizontal space is [ \t].)");
  EXPECT_EQ(refusal("(?q)a").message, "The pattern is not valid at character 3: there is no flag \"q\".");
}

TEST(SyntaxError, UnknownPropertiesComeWithTheNearestName) {
  EXPECT_EQ(refusal(R"(\p{Gree})").hint, R"(Did you mean \p{Greek}?)");
  EXPECT_EQ(refusal(R"(\p{sc=Cyrilic})").hint, R"(Did you mean \p{sc=Cyrillic}?)");
  EXPECT_NE(refusal(R"(\p{Block=Arrows})").hint.find("sc (script)"), std::string::npos);
  EXPECT_NE(refusal(R"(\p{qqqqqqqq})").hint.find(R"(\p{Greek})"), std::string::npos);
  EXPECT_NE(refusal(R"((?-u)\pL)").message.find("(?-u)"), std::string::npos);
}

TEST(SyntaxError, ALineBreakIsPointedAtAndMultilineNamed) {
  const Error error = refusal(R"(foo\nbar)");
  EXPECT_EQ(error.message,
            "The pattern is not valid at character 4: a line break is asked for, but matches stay within one "
            "line.");
  EXPECT_NE(error.hint.find("multiline"), std::string::npos);
  EXPECT_EQ(error.details.find("length")->as_integer(), 2);
  EXPECT_EQ(refusal("a\nb", {.literal = true}).details.find("offset")->as_integer(), 1);
  EXPECT_EQ(refusal(R"(ab[\r\n])", {.crlf = true}).details.find("offset")->as_integer(), 2);
  EXPECT_TRUE(parse(R"(\r)", {}).has_value());
  EXPECT_FALSE(parse(R"(\r)", {.crlf = true}).has_value());
}

TEST(SyntaxError, PatternsThatAreNoTextAreRefused) {
  EXPECT_EQ(refusal("ab\xFF").message, "The pattern is not UTF-8 at byte 3.");
  EXPECT_EQ(refusal("ab\xFF").hint, R"(Write bytes that are not UTF-8 as (?-u:\xFF).)");
}

}  // namespace
}  // namespace helve::regex
