#include "cli/init/json_edit.h"

#include <gtest/gtest.h>

#include <random>
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
  EXPECT_EQ(added("[]"), "error: f.json is not a JSON object.");
  EXPECT_EQ(added(R"({"mcpServers": []})"), "error: f.json: mcpServers must be an object.");
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

// Random objects with any layout, comments and trailing commas.
class Scribbler {
 public:
  explicit Scribbler(unsigned seed) : random_(seed), breaks_(pick(2) == 0 ? "\n" : "\r\n") {}

  std::string object(int depth, bool root) {
    std::string out = "{";
    const int count = pick(4);
    const bool comma_at_end = pick(3) == 0;
    std::vector<std::string> names{"a", "b\\\"}", "// c", "", "mcp"};
    if (root && pick(2) == 0) {
      out += concat(gap(), "\"mcpServers\"", gap(), ":", gap(), object(depth - 1, false), gap());
      if (count > 0 || comma_at_end) out += ",";
    }
    for (int i = 0; i < count; ++i) {
      out += concat(gap(), "\"", names[static_cast<std::size_t>(i)], "\"", gap(), ":", gap(),
                    value(depth - 1), gap());
      if (i + 1 < count || comma_at_end) out += ",";
    }
    return concat(out, gap(), "}");
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string gap() {
    std::string out;
    for (int i = pick(3); i > 0; --i) {
      switch (pick(7)) {
        case 0: out += "// } \" ,"; [[fallthrough]];
        case 1: out += breaks_; break;
        case 2: out += "/* { \" */"; break;
        case 3: out += concat("/*", breaks_, "*/"); break;
        case 4: out += "\t"; break;
        default: out += "  ";
      }
    }
    return out;
  }
  std::string value(int depth) {
    switch (pick(depth > 0 ? 6 : 4)) {
      case 0: return "-1.5e3";
      case 1: return "\"x\\\\\"";
      case 2: return "null";
      case 3: return "\"{ // [\"";
      case 4: return concat("[", gap(), value(depth - 1), gap(), ",", gap(), "true", gap(), "]");
      default: return object(depth - 1, false);
    }
  }

  std::minstd_rand random_;
  std::string breaks_;
};

TEST(JsonEdit, WhateverTheLayoutOneMemberComesAndGoes) {
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    Scribbler scribbler(seed);
    const std::string text = concat(scribbler.object(3, true), seed % 2 == 0 ? "\n" : "");
    const auto before = parse_settings_json(text, "f.json");
    ASSERT_TRUE(before) << text << "\n" << before.error().message;
    const auto splice = add_member(text, "f.json", kPath, "helve", kEntry);
    ASSERT_TRUE(splice) << text << "\n" << splice.error().message;
    const std::string after = splice->apply(text);
    ASSERT_EQ(splice->inverse().apply(after), text);
    const auto now = parse_settings_json(after, "f.json");
    ASSERT_TRUE(now) << after;
    ASSERT_EQ(*now->find("mcpServers")->find("helve"), kEntry) << after;
    const auto back = remove_member(after, "f.json", kPath, "helve");
    ASSERT_TRUE(back) << after << "\n" << back.error().message;
    auto left = parse_settings_json(back->apply(after), "f.json");
    ASSERT_TRUE(left);
    if (before->find("mcpServers") == nullptr) left->as_object().erase("mcpServers");
    ASSERT_EQ(*left, *before) << text << "\n=>\n" << after;
  }
}

// A truncated file is refused or parsed; nothing is read past its end.
TEST(JsonEdit, ATornFileIsNoDanger) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::string text = Scribbler(seed).object(3, true);
    for (std::size_t size = 0; size <= text.size(); ++size) {
      const std::string torn = text.substr(0, size);
      const auto splice = add_member(torn, "f.json", kPath, "helve", kEntry);
      ASSERT_TRUE(!splice || parse_settings_json(splice->apply(torn), "f.json")) << torn;
      (void)remove_member(torn, "f.json", kPath, "helve");
    }
  }
}

}  // namespace
}  // namespace helve::cli
