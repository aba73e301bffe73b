#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/json_parse.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "helve/json.h"

namespace helve {
namespace {

std::string reprint(std::string_view text) {
  auto value = parse_json(text);
  return value ? to_text(*value) : "error: " + value.error().message;
}

TEST(JsonWriter, WritesReadableNumbers) {
  EXPECT_EQ(to_text(JsonArray{10.0, 0.1, 1e6, -2.5, 1e-5, 123456789012345680.0, 1e21, 0.0}),
            "[10,0.1,1000000,-2.5,0.00001,123456789012345680,1e+21,0]");
  EXPECT_EQ(
      to_text(JsonArray{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()}),
      "[-9223372036854775808,18446744073709551615]");
}

TEST(JsonWriter, WritesNullForNumbersThatAreNotFinite) {
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, ReplacesInvalidUtf8) {
  EXPECT_EQ(to_text(std::string("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_text(std::string("cut \xE2\x82")), "\"cut \xEF\xBF\xBD\"");
  EXPECT_EQ(to_text(std::string("surrogate \xED\xA0\x80")),
            "\"surrogate \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonWriter, EscapesControlCharactersAndKeepsText) {
  EXPECT_EQ(to_text(std::string("tab\t \"q\" \\ \x01 ü €\n")), R"("tab\t \"q\" \\ \u0001 ü €\n")");
}

TEST(JsonWriter, EscapesAtEveryPosition) {
  for (int byte = 0; byte < 0x80; ++byte)
    for (std::size_t length = 1; length < 20; ++length)
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(byte);
        const std::string written = to_text(Json(text));
        EXPECT_EQ(parse_json(written).value(), Json(text)) << written;
        const bool escaped = byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\';
        EXPECT_EQ(written.contains('\\'), escaped) << written;
      }
}

// Strings are written in pieces, and a character may span two of them.
TEST(JsonWriter, WritesLongStringsCompletely) {
  for (const std::string_view unit :
       {"a", "\n", "\x1b", "€", "😀", "\xFF", "ab\"", "\xE2\x82", "0123456789\t"})
    for (const std::size_t length : {100, 125, 126, 127, 128, 129, 255, 256, 257, 5000}) {
      std::string text;
      while (text.size() < length) text += unit;
      EXPECT_EQ(parse_json(to_text(Json(text))).value(), Json(to_valid_utf8(text))) << unit << length;
    }
}

TEST(JsonWriter, WritesARepeatedLongTextIdentically) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "1\t\"quoted\" \xC3\xA9 and\xFF\n";
  std::string almost = text;
  almost.back() = '\r';
  const std::string once = to_text(text);
  const std::string other = to_text(almost);
  EXPECT_NE(once, other);
  const Json all = JsonArray{text, text, almost, "short", text, almost, almost, std::string(300, 'x'), text};
  EXPECT_EQ(to_text(all), "[" + once + "," + once + "," + other + ",\"short\"," + once + "," + other + "," +
                              other + ",\"" + std::string(300, 'x') + "\"," + once + "]");
}

TEST(JsonWriter, IndentsPrettyText) {
  EXPECT_EQ(to_pretty_text(JsonObject{{"a", JsonArray{1, 2}}, {"b", JsonObject()}}),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(ObjectText, WritesTheSameTextAsTheObject) {
  const JsonObject object{{"a", "x\n\"\xFF"}, {"n", -7}, {"list", JsonArray{1, "two"}}};
  ObjectText text;
  text.add("a", "x\n\"\xFF").add("n", -7).add_json("list", JsonArray{1, "two"});
  EXPECT_EQ(text.take(), to_text(object));
  EXPECT_EQ(ObjectText().take(), "{}");
}

TEST(JsonParse, KeepsKeyOrderAndExactIntegers) {
  EXPECT_EQ(reprint(R"({"z":1,"a":[9223372036854775807,18446744073709551615],"m":null})"),
            R"({"z":1,"a":[9223372036854775807,18446744073709551615],"m":null})");
}

TEST(JsonParse, RefusesDuplicateKeysWithTheirPath) {
  EXPECT_EQ(reprint(R"({"edits":[{},{"at":{"x":1,"x":2}}]})"),
            "error: This is not valid JSON: duplicate key \"x\" in edits[1].at (line 1, column 29).");
  std::string large = "{";
  for (int i = 0; i < 1000; ++i) large += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_THAT(reprint(large + "\"k7\":1}"), ::testing::HasSubstr("duplicate key \"k7\""));
}

TEST(JsonParse, RefusesExcessiveNesting) {
  EXPECT_THAT(reprint(std::string(100'000, '[')), ::testing::HasSubstr("nested deeper than 64 levels"));
  EXPECT_EQ(reprint(std::string(64, '[') + std::string(64, ']')).substr(0, 5), "[[[[[");
}

TEST(JsonParse, RefusesTooMuchText) {
  const auto refused = parse_json(R"("0123456789")", {.max_bytes = 8});
  EXPECT_EQ(refused.error().message, "The JSON text is 12 bytes long; the limit is 8.");
}

TEST(JsonParse, RefusesTooManyValues) {
  std::string many = "[0";
  for (int i = 0; i < 2'000'000; ++i) many += ",0";
  EXPECT_THAT(reprint(many + "]"), ::testing::HasSubstr("more than 2,000,000 values"));
}

TEST(JsonParse, KeepsEveryDigitOfANumber) {
  EXPECT_EQ(reprint("[1294.8756137479543,0.1,123456.789e3,5e-324]"),
            "[1294.8756137479543,0.1,123456789,5e-324]");
}

TEST(JsonParse, RefusesInvalidUtf8AndLoneSurrogates) {
  EXPECT_THAT(reprint("\"a\xFF\""), ::testing::HasSubstr("byte 3 is not valid UTF-8"));
  EXPECT_THAT(reprint(R"("\ud800")"), ::testing::HasSubstr("half of a surrogate pair"));
  EXPECT_THAT(reprint(R"("\udc00x")"), ::testing::HasSubstr("half of a surrogate pair"));
  EXPECT_EQ(reprint(R"("\ud83d\ude00")"), "\"😀\"");
}

TEST(JsonParse, ReportsLineAndColumn) {
  EXPECT_EQ(reprint("{\n  \"a\": 1,\n  b: 2}"),
            "error: This is not valid JSON: unexpected 'b' (line 3, column 3).");
  EXPECT_EQ(reprint("{\"a\": tru"),
            "error: This is not valid JSON: unexpected end of input (line 1, column 10).");
  EXPECT_EQ(reprint("1 2"),
            "error: This is not valid JSON: unexpected text after the value (line 1, column 3).");
  EXPECT_EQ(reprint(""), "error: This is not valid JSON: unexpected end of input (line 1, column 1).");
  EXPECT_EQ(reprint("[NaN]").find("error: "), 0U);
  EXPECT_THAT(reprint("[1e999]"), ::testing::HasSubstr("too large"));
}

TEST(Json, MovesValuesOutOfInitializerLists) {
  std::string text(1000, 'x');
  const char* const bytes = text.data();
  const JsonObject object{{"text", std::move(text)}};
  EXPECT_EQ(object.find("text")->as_string().data(), bytes);
}

TEST(Json, ComparesNumbersByValueAndObjectsInAnyOrder) {
  EXPECT_EQ(Json(3), Json(3.0));
  EXPECT_EQ(Json(JsonObject{{"a", 1}, {"b", 2}}), Json(JsonObject{{"b", 2}, {"a", 1}}));
  EXPECT_FALSE(Json(JsonObject{{"a", 1}}) == Json(JsonObject{{"a", "1"}}));
}

TEST(Json, FitsInt64OnlyForWholeNumbersInRange) {
  std::int64_t out = 0;
  EXPECT_TRUE(Json(3.0).fits_int64(out));
  EXPECT_FALSE(Json(3.5).fits_int64(out));
  EXPECT_FALSE(Json(9223372036854775808.0).fits_int64(out));
  EXPECT_FALSE(Json(std::numeric_limits<std::uint64_t>::max()).fits_int64(out));
}

TEST(Json, WritesEscapesAtEveryPositionOfStringsOfEveryLength) {
  const auto expected = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '\n')
        out += "\\n";
      else if (c == '"')
        out += "\\\"";
      else if (c == '\x1b')
        out += "\\u001b";
      else
        out += c;
    }
    return out + "\"";
  };
  for (std::size_t length = 0; length <= 300; length += length < 40 ? 1 : 13) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + i % 26);
    EXPECT_EQ(to_text(Json(text)), expected(text));
    for (std::size_t at = 0; at < length; ++at)
      for (const char special : {'\n', '"', '\x1b'}) {
        std::string changed = text;
        changed[at] = special;
        ASSERT_EQ(to_text(Json(changed)), expected(changed));
      }
  }
}

TEST(ObjectText, DoesNotReuseFreedText) {
  std::string value(1000, 'y');
  ObjectText text;
  text.add("first", value);
  value.assign(1000, 'z');  // in the same memory
  text.add("second", value).add_written("made", R"({"k":null})");
  EXPECT_EQ(text.take(), to_text(JsonObject{{"first", std::string(1000, 'y')},
                                            {"second", std::string(1000, 'z')},
                                            {"made", JsonObject{{"k", nullptr}}}}));
}

}  // namespace
}  // namespace helve
