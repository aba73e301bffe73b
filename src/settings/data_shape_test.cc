#include "settings/data_shape.h"

#include <gtest/gtest.h>

namespace helve::settings {
namespace {

std::string schema(std::string_view shape) {
  const auto made = schema_of_shape(shape);
  return made ? to_text(*made) : made.error().message;
}

TEST(DataShape, IsWrittenAsAJsonSchema) {
  EXPECT_EQ(schema("{path: string, lines?: integer}"),
            R"({"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"}},)"
            R"("required":["path"]})");
  EXPECT_EQ(schema("[{a: [number]}]"),
            R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"array",)"
            R"("items":{"type":"number"}}},"required":["a"]}})");
  EXPECT_EQ(schema("string|null"), R"({"type":["string","null"]})");
  EXPECT_EQ(schema("\"file\"|\"directory\""), R"({"enum":["file","directory"]})");
  EXPECT_EQ(schema("[string]|null"),
            R"({"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]})");
  EXPECT_EQ(schema("{a?: any}"), R"({"type":"object","properties":{"a":{}}})");
}

TEST(DataShape, SaysWhereItIsWrong) {
  EXPECT_EQ(schema("{path: text}"), "The shape is wrong at \"}\".");
  for (const std::string_view wrong :
       {"", "{", "{a}", "{a:}", "{a: string", "{a: string b: string}", "[string", "string|", "\"a",
        "string string", "{a: string, a: string}"})
    EXPECT_FALSE(schema_of_shape(wrong)) << wrong;
}

}  // namespace
}  // namespace helve::settings
