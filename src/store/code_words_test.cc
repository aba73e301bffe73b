#include "store/code_words.h"

#include <gtest/gtest.h>

namespace helve::store {
namespace {

using Words = std::vector<std::string>;

TEST(CodeWords, SplitsIdentifiersAndKeepsThemWhole) {
  EXPECT_EQ(code_words("parseJson"), "parse json parsejson");
  EXPECT_EQ(code_words("parse_json"), "parse json parsejson");
  EXPECT_EQ(code_words("kebab-case"), "kebab case kebabcase");
  EXPECT_EQ(code_words("JSONParser"), "json parser jsonparser");
  EXPECT_EQ(code_words("base64Encode"), "base64 encode base64encode");
  EXPECT_EQ(code_words("HTTP"), "http");
}

TEST(CodeWords, SplitsAtPunctuationAndRemovesDuplicates) {
  EXPECT_EQ(code_words("a.b(a, b) -> a"), "a b");
  EXPECT_EQ(code_words("x -- y"), "x y");
  EXPECT_EQ(code_words("trailing_ _leading"), "trailing leading");
  EXPECT_EQ(code_words(""), "");
}

TEST(CodeWords, KeepsNonAsciiWordsTogether) {
  EXPECT_EQ(code_words("größe = 1"), "größe 1");
  EXPECT_EQ(code_words("数据"), "数据");
}

TEST(CodeWords, LimitsLengthAndNumberOfWords) {
  EXPECT_EQ(code_words(std::string(1000, 'a')).size(), 64U);
  EXPECT_EQ(code_words("one two three four", 2), "one two");
}

TEST(CodeWords, SplitsQueriesTheSameWay) {
  EXPECT_EQ(query_words("parse json"), (Words{"parse", "json"}));
  EXPECT_EQ(query_words("parseJson"), (Words{"parse", "json"}));
  EXPECT_EQ(query_words("\"* OR name:x"), (Words{"or", "name", "x"}));
  EXPECT_TRUE(query_words("=>").empty());
}

}  // namespace
}  // namespace helve::store
