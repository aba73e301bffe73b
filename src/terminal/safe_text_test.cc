#include "terminal/safe_text.h"

#include <gtest/gtest.h>

#include "base/json_parse.h"

namespace helve::terminal {
namespace {

TEST(SafeText, JsonForATerminalDoesNotControlIt) {
  EXPECT_EQ(printable_json("{\"a\": \"x\u009B31m\u202E\u2066\u200E\u061C\x7F\x1B[0m\U000E0041\"}\n"),
            "{\"a\": \"x\\u009b31m\\u202e\\u2066\\u200e\\u061c\\u007f\\u001b[0m\\udb40\\udc41\"}\n");
}

TEST(SafeText, JsonForATerminalDoesNotChangeItsValue) {
  const std::string text = "\"tab\\t ü € \U0001F600 \u009B\u202E\U000E0041 \\\\ \\\"\"";
  EXPECT_EQ(*parse_json(printable_json(text)), *parse_json(text));
  EXPECT_EQ(printable_json("\"ü € \U0001F600 \u00A0\""), "\"ü € \U0001F600 \u00A0\"");
}

TEST(PrintableJson, NoInvisibleCharacterStaysUnseen) {
  EXPECT_EQ(printable_json("{\"a\u200Bb\":\"\uFEFFx\u2060\"}"), R"({"a\u200bb":"\ufeffx\u2060"})");
  EXPECT_EQ(printable_json("\"\u200D\""), "\"\u200D\"") << "joins the parts of one character";
}

}  // namespace
}  // namespace helve::terminal
