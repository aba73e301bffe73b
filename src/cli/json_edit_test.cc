#include "cli/json_edit.h"

#include <gtest/gtest.h>

#include <vector>

namespace helve::cli {
namespace {

const std::vector<std::string> kPath{"mcpServers"};
const Json kEntry = JsonObject{{"command", "helve"}, {"args", JsonArray{"mcp"}}};

std::string added(std::string_view text) {
  const auto splice = add_member(text, "f.json", kPath, "helve", kEntry);
  if (!splice) return concat("error: ", splice.error().message);
  EXPECT_TRUE(splice->fits(text));
  const std::string after = splice->apply(text);
  EXPECT_EQ(splice->inverse().apply(after), text);
  return after;
}

std::string removed(std::string_view text) {
  const auto splice = remove_member(text, "f.json", kPath, "helve");
  return splice ? splice->apply(text) : concat("error: ", splice.error().message);
}

TEST(JsonEdit, AnEmptyFileBecomesAnObject) {
  EXPECT_EQ(added(""), R"({
  "mcpServers": {
    "helve": {
      "command": "helve",
      "args": ["mcp"]
    }
  }
}
)");
  EXPECT_EQ(added("{}"), R"({
  "mcpServers": {
    "helve": {
      "command": "helve",
      "args": ["mcp"]
    }
  }
})");
}

TEST(JsonEdit, GoesBehindTheLastMemberInTheFilesOwnIndentation) {
  EXPECT_EQ(added("{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t},\n\t\"z\": 1\n}\n"),
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"helve\": {\n\t\t\t\"command\": \"helve\",\n"
            "\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t},\n\t\"z\": 1\n}\n");
  EXPECT_EQ(
      added("{\n    \"z\": 1\n}"),
      "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"helve\": {\n            \"command\": \"helve\",\n"
      "            \"args\": [\"mcp\"]\n        }\n    }\n}");
}

TEST(JsonEdit, LineEndingsAndByteOrderMarksStay) {
  EXPECT_EQ(added("{\r\n  \"z\": 1\r\n}\r\n"),
            "{\r\n  \"z\": 1,\r\n  \"mcpServers\": {\r\n    \"helve\": {\r\n      \"command\": \"helve\",\r\n"
            "      \"args\": [\"mcp\"]\r\n    }\r\n  }\r\n}\r\n");
  EXPECT_EQ(added("\xEF\xBB\xBF{\"z\":1}"),
            "\xEF\xBB\xBF{\"z\":1,\"mcpServers\":{\"helve\":{\"command\":\"helve\",\"args\":[\"mcp\"]}}}");
}

TEST(JsonEdit, WhatIsOnOneLineStaysOnOneLine) {
  EXPECT_EQ(added(R"({"mcpServers":{},"z":1})"),
            R"({"mcpServers":{"helve":{"command":"helve","args":["mcp"]}},"z":1})");
}

TEST(JsonEdit, CommentsStayWhereTheyAre) {
  EXPECT_EQ(added("// head\n{\n  \"z\": 1 // last, } and \"quotes\"\n  // end\n}\n"),
            "// head\n{\n  \"z\": 1, // last, } and \"quotes\"\n  \"mcpServers\": {\n    \"helve\": {\n"
            "      \"command\": \"helve\",\n      \"args\": [\"mcp\"]\n    }\n  }\n  // end\n}\n");
  EXPECT_EQ(added("{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n"),
            "{\n  \"mcpServers\": {\n    // none yet\n    \"helve\": {\n      \"command\": \"helve\",\n"
            "      \"args\": [\"mcp\"]\n    }\n  }\n}\n");
}

TEST(JsonEdit, ACommaAtTheEndIsKeptAsAHabit) {
  EXPECT_EQ(
      added("{\n  \"z\": [1, 2,], // x\n}\n"),
      "{\n  \"z\": [1, 2,], // x\n  \"mcpServers\": {\n    \"helve\": {\n      \"command\": \"helve\",\n"
      "      \"args\": [\"mcp\"]\n    }\n  },\n}\n");
}

TEST(JsonEdit, StringsWithBracketsAndEscapesAreStrings) {
  const std::string text = R"({
  "a\"}": "} // no \\",
  "b": {"mcpServers": {"helve": 1}}
}
)";
  const std::string after = added(text);
  EXPECT_TRUE(after.starts_with(R"({
  "a\"}": "} // no \\",
  "b": {"mcpServers": {"helve": 1}},
  "mcpServers": {)"))
      << after;
}

TEST(JsonEdit, WhatIsWrongIsRefused) {
  EXPECT_TRUE(added("{\"z\": 1").starts_with("error: f.json: ")) << added("{\"z\": 1");
  EXPECT_TRUE(added("{\"z\": 1, \"z\": 2}").starts_with("error: f.json: "));
  EXPECT_EQ(added("[]"), "error: f.json has no JSON object in it.");
  EXPECT_EQ(added(R"({"mcpServers": []})"), "error: f.json: mcpServers has to be an object.");
  EXPECT_EQ(added(R"({"mcpServers": {"helve": {}}})"), "error: f.json has another mcpServers.helve.");
}

TEST(JsonEdit, AMemberIsTakenAwayWhereverItStands) {
  EXPECT_EQ(removed(R"({"mcpServers": {"helve": 1}})"), R"({"mcpServers": {}})");
  EXPECT_EQ(removed(R"({"mcpServers": {"helve": 1, "b": 2}})"), R"({"mcpServers": {"b": 2}})");
  EXPECT_EQ(removed(R"({"mcpServers": {"a": 0, "helve": 1}})"), R"({"mcpServers": {"a": 0}})");
  EXPECT_EQ(removed(R"({"mcpServers": {"a": 0, "helve": 1, "b": 2}})"),
            R"({"mcpServers": {"a": 0, "b": 2}})");
  EXPECT_EQ(removed("{\"mcpServers\": {\n  \"a\": 0, // a\n  \"helve\": {\"x\": [1]} // h\n}}"),
            "{\"mcpServers\": {\n  \"a\": 0 // a // h\n}}");
  EXPECT_EQ(removed("{\"mcpServers\": {\n  // ours\n  \"helve\": 1,\n}}"),
            "{\"mcpServers\": {\n  // ours\n  \n}}");
  EXPECT_EQ(removed("{}"), "error: f.json has no mcpServers.helve.");
}

}  // namespace
}  // namespace helve::cli
