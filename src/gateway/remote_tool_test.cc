#include <gtest/gtest.h>

#include "base/json_parse.h"
#include "gateway/foreign_tool.h"
#include "gateway/remote_tool.h"

namespace helve::gateway {
namespace {

Expected<RemoteTool> read(std::string_view text) { return read_tool(parse_json(text).value()); }

Expected<RemoteTool> with_property(std::string_view property) {
  return read(std::string(R"({"name": "t", "inputSchema": {"type": "object", "properties": {"a": )") +
              std::string(property) + "}}}");
}

TEST(ReadTool, ReadsTheDescription) {
  const auto tool = read(R"({"name": "t", "title": "T", "description": "d", "inputSchema": {"type": "object"},
      "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": "yes"}})");
  ASSERT_TRUE(tool);
  EXPECT_EQ(tool->title, "T");
  EXPECT_EQ(tool->read_only, true);
  EXPECT_EQ(tool->destructive, false);
  EXPECT_EQ(tool->idempotent, std::nullopt);
}

TEST(ReadTool, RefusesUnusableTools) {
  EXPECT_FALSE(read("[]"));
  EXPECT_FALSE(read("{}"));
  EXPECT_FALSE(read(R"({"name": ""})"));
  EXPECT_FALSE(read(R"({"name": "t", "inputSchema": []})"));
  EXPECT_TRUE(read(R"({"name": "t"})"));
}

TEST(ReadTool, RefusesForbiddenHeaders) {
  EXPECT_TRUE(with_property(R"({"type": "string", "x-mcp-header": "Region"})"));
  EXPECT_FALSE(with_property(R"({"type": "string", "x-mcp-header": ""})"));
  EXPECT_FALSE(with_property(R"({"type": "string", "x-mcp-header": "a b"})"));
  EXPECT_FALSE(with_property(R"({"type": "number", "x-mcp-header": "A"})"));
  EXPECT_FALSE(with_property(R"({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}})"));
  EXPECT_FALSE(with_property(
      R"({"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"})"));
}

TEST(ArgumentHeaders, FindTheirArguments) {
  const auto tool = read(R"({"name": "t", "inputSchema": {"type": "object", "properties": {
      "a": {"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "B"}}},
      "c": {"type": "boolean", "x-mcp-header": "C"}, "d": {"type": "string", "x-mcp-header": "D"}}}})");
  ASSERT_TRUE(tool);
  const http::Headers headers =
      argument_headers(*tool, JsonObject{{"a", JsonObject{{"b", 5}}}, {"c", false}, {"d", Json()}});
  EXPECT_EQ(*headers.find("Mcp-Param-B"), "5");
  EXPECT_EQ(*headers.find("Mcp-Param-C"), "false");
  EXPECT_EQ(headers.find("Mcp-Param-D"), nullptr);
}

TEST(HeaderValue, EncodesValuesThatHeadersDoNotAllow) {
  EXPECT_EQ(header_value("plain text"), "plain text");
  EXPECT_EQ(header_value(" a"), "=?base64?IGE=?=");
  EXPECT_EQ(header_value("a\r\nX: y"), "=?base64?YQ0KWDogeQ==?=");
  EXPECT_EQ(header_value("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}

}  // namespace

namespace {

using Names = std::vector<std::string>;

TEST(ToolNames, ArePrefixedWithTheServer) {
  EXPECT_EQ(tool_names("git", {"log", "push-all"}), (Names{"mcp__git__log", "mcp__git__push-all"}));
}

TEST(ToolNames, HaveOnlyCharactersThatModelsAccept) {
  EXPECT_EQ(tool_names("git", {"a.b/c", "ä"}), (Names{"mcp__git__a_b_c", "mcp__git____"}));
}

TEST(ToolNames, ThatWouldClashEndInAHash) {
  const Names names = tool_names("git", {"a_b", "a.b", "a/b"});
  EXPECT_EQ(names[0], "mcp__git__a_b");
  EXPECT_NE(names[1], names[2]);
  EXPECT_TRUE(names[1].starts_with("mcp__git__a_b_"));
  // Independent of the other tools.
  EXPECT_EQ(tool_names("git", {"a.b", "a_b"})[0], names[1]);
}

TEST(ToolNames, ThatAreTooLongEndInAHash) {
  const std::string base(80, 'x');
  const Names names = tool_names("server", {base + "1", base + "2"});
  EXPECT_EQ(names[0].size(), kLongestToolName);
  EXPECT_NE(names[0], names[1]);
}

TEST(ServerLabels, HaveNoDoubleUnderscore) {
  EXPECT_EQ(server_labels({"a__b", "my server"}), (Names{"a_b", "my_server"}));
  EXPECT_EQ(server_labels({"a____b"}), Names{"a_b"});
}

TEST(ServerLabels, AreDifferent) {
  const Names labels = server_labels({"my_server", "my server"});
  EXPECT_EQ(labels[0], "my_server");
  EXPECT_NE(labels[1], labels[0]);
}

TEST(ReadResult, NoStructureIsPassedOnThatIsNotAsDeclared) {
  const RemoteTool tool{
      .name = "t",
      .output_schema = parse_json(R"({"type": "object", "properties": {"n": {"type": "integer"}}})").value()};
  Logger logger(LogLevel::kError);
  const auto read = [&](const char* text) {
    return read_result(tool, "s", parse_json(text).value(), logger).value();
  };
  const Output good = read(R"({"content": [{"type": "text", "text": "a"}], "structuredContent": {"n": 1}})");
  EXPECT_EQ(to_text(good.data), R"({"n":1})");
  const Output bad = read(R"({"content": [{"type": "text", "text": "a"}], "structuredContent": {"n": "x"}})");
  EXPECT_EQ(bad.data.find("n"), nullptr);
  EXPECT_EQ(bad.foreign.find("structuredContent"), nullptr);
  EXPECT_EQ(bad.content, "a\n(The structured result does not match the tool's schema and is left out.)\n");
}

}  // namespace

}  // namespace helve::gateway
