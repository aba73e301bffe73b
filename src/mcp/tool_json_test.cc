#include "mcp/tool_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

Answer read_answer() {
  Output output;
  output.content = "1\tThe word is heliotrope.\n";
  output.data = JsonObject{{"path", "secret.txt"}, {"lines", 1}};
  return {.result = std::move(output)};
}

ClientInfo client(std::string name, std::string revision = "2025-11-25") {
  return {.revision = std::move(revision), .name = std::move(name)};
}

TEST(ToolJson, StructuredContentIncludesTheText) {
  const Json result = describe_answer(read_answer(), {.name = "read"}, client("some-agent"));
  EXPECT_EQ(to_text(*result.find("structuredContent")),
            R"({"path":"secret.txt","lines":1,"text":"1\tThe word is heliotrope.\n"})");
  EXPECT_EQ(to_text(*result.find("content")), R"([{"type":"text","text":"1\tThe word is heliotrope.\n"}])");
}

TEST(ToolJson, KeepsStructuredContentOfOtherServers) {
  const Json foreign = describe_answer(read_answer(), {.name = "read", .server = "other"}, client("agent"));
  EXPECT_EQ(to_text(*foreign.find("structuredContent")), R"({"path":"secret.txt","lines":1})");
  const Json promised = describe_answer(
      read_answer(), {.name = "read", .output_schema = JsonObject{{"type", "object"}}}, client("some-agent"));
  EXPECT_EQ(to_text(*promised.find("structuredContent")), R"({"path":"secret.txt","lines":1})");
}

Answer foreign_answer() {
  Output output{.content = "first", .data = JsonObject{{"n", 1}}};
  output.foreign = JsonObject{
      {"content", JsonArray{JsonObject{{"type", "audio"}, {"data", "aGk="}, {"mimeType", "audio/wav"}},
                            JsonObject{{"type", "text"}, {"text", "first"}, {"_meta", JsonObject{{"a", 1}}}},
                            JsonObject{{"type", "resource_link"}, {"uri", "x://y"}, {"name", "y"}}}},
      {"structuredContent", JsonObject{{"n", 1}}},
      {"_meta", JsonObject{{"b", 2}}}};
  return {.result = std::move(output)};
}

TEST(ToolJson, PassesResultsOfOtherServersOnAsTheyAre) {
  const Json sent = foreign_answer().result->foreign;
  const Json result = describe_answer(foreign_answer(), {.name = "t", .server = "s"}, client("agent"));
  for (const char* member : {"content", "structuredContent"})
    EXPECT_EQ(*result.find(member), *sent.find(member)) << member;
  // Helve's own summary stands beside what the server sent.
  EXPECT_EQ(*result.find("_meta")->find("b"), Json(2));
  EXPECT_NE(result.find("_meta")->find("helve/result"), nullptr);
  Error error{ErrorCode::kExecutionFailed, "first"};
  error.details = JsonObject{{"result", sent}};
  const Json failed = describe_answer({.result = fail(error)}, {.name = "t", .server = "s"}, client("agent"));
  EXPECT_EQ(*failed.find("content"), *sent.find("content"));
  EXPECT_EQ(*failed.find("isError"), Json(true));
}

TEST(ToolJson, OldClientsGetTextForPartsThatTheyDoNotKnow) {
  const Json result =
      describe_answer(foreign_answer(), {.name = "t", .server = "s"}, client("agent", "2024-11-05"));
  EXPECT_EQ(to_text(*result.find("content")),
            R"([{"type":"text","text":"[audio, audio/wav]"},{"type":"text","text":"first","_meta":{"a":1}},)"
            R"j({"type":"text","text":"[y](x://y)"}])j");
}

TEST(ToolJson, AnOffloadedResultKeepsItsOtherParts) {
  Answer answer = foreign_answer();
  answer.result->content = "The result is long.";
  answer.result->truncated = true;
  const Json result = describe_answer(std::move(answer), {.name = "t", .server = "s"}, client("agent"));
  EXPECT_EQ(
      to_text(*result.find("content")),
      R"([{"type":"text","text":"The result is long."},{"type":"audio","data":"aGk=","mimeType":"audio/wav"},)"
      R"({"type":"resource_link","uri":"x://y","name":"y"}])");
}

TEST(ToolJson, ShowsWhatAnotherServerSaysAboutItsTool) {
  const ToolDefinition tool{.name = "mcp__s__t",
                            .description = "Does it.",
                            .server = "s",
                            .foreign_extras = JsonObject{{"annotations", JsonObject{{"readOnlyHint", true}}},
                                                         {"icons", JsonArray{}}}};
  const Json described = describe_tool(tool, client("agent"));
  EXPECT_EQ(to_text(*described.find("annotations")), R"({"readOnlyHint":true})");
  EXPECT_NE(described.find("icons"), nullptr);
}

// The list is sent to the model with every request.
TEST(ToolJson, ListsOwnToolsWithoutWhatAModelDoesNotNeed) {
  ToolDefinition tool{.name = "two_words",
                      .effect = Effect::kRead,
                      .data_shape = "{total: integer, places?: [{path: string}], kind: \"a\" | \"b\"}"};
  tool.params.members.push_back(
      {.name = "count", .type = {.kind = ParamType::Kind::kInteger, .min = 1, .max = 9}});
  const Json described = describe_tool(tool, client("agent"));
  EXPECT_EQ(to_text(*described.find("annotations")), R"({"readOnlyHint":true,"openWorldHint":false})");
  const Json& count = *described.find("inputSchema")->find("properties")->find("count");
  EXPECT_EQ(*count.find("type"), Json("integer"));
  EXPECT_EQ(count.find("maximum"), nullptr) << "a call that exceeds it is told the bound";
  EXPECT_EQ(
      to_text(*described.find("outputSchema")),
      R"({"type":"object","properties":{"total":{"type":"integer"},"places":{"type":"array"},"kind":{}}})");
}

// Clients validate structured content against the output schema, which an error does not match.
TEST(ToolJson, AnErrorHasNoStructuredContent) {
  const Json failed = describe_answer({.result = fail(ErrorCode::kNotFound, "There is no such file.")},
                                      {.name = "read"}, client("some-agent"));
  EXPECT_EQ(failed.find("structuredContent"), nullptr);
  EXPECT_EQ(*failed.find("isError"), Json(true));
  EXPECT_EQ(*failed.find("_meta")->find("helve/error")->find("code"), Json("NOT_FOUND"));
}

TEST(ToolJson, MetaHasTheRestOfTheEnvelopeForSuccessesAndErrors) {
  for (const char* name : {"claude-code", "some-agent"}) {
    Answer changed{.result = Output{.summary = "a.txt: 1 replacement",
                                    .content = "…",
                                    .affected_paths = {"a.txt"},
                                    .truncated = true},
                   .execution_time_ms = 7};
    EXPECT_EQ(
        to_text(*describe_answer(changed, {.name = "edit"}, client(name)).find("_meta")),
        R"({"helve/result":{"ok":true,"summary":"a.txt: 1 replacement","meta":{"truncated":true,"executionTimeMs":7,)"
        R"("affectedPaths":["a.txt"]},"tool":"edit"}})");
    const Json failed = describe_answer({.result = fail(ErrorCode::kNotFound, "There is no such file.")},
                                        {.name = "read"}, client(name));
    EXPECT_EQ(
        to_text(*failed.find("_meta")->find("helve/result")),
        R"({"ok":false,"summary":"There is no such file.","meta":{"truncated":false,"executionTimeMs":0,)"
        R"("affectedPaths":[]},"tool":"read"})");
    EXPECT_EQ(*failed.find("_meta")->find("helve/error")->find("code"), Json("NOT_FOUND"));
  }
}

TEST(ToolJson, OmitsStructuredContentForClientsThatHideTheText) {
  for (const char* name : {"claude-code", "codex-mcp-client"}) {
    const Json result = describe_answer(read_answer(), {.name = "read"}, client(name));
    EXPECT_EQ(result.find("structuredContent"), nullptr) << name;
    EXPECT_THAT(to_text(*result.find("content")), ::testing::HasSubstr("heliotrope")) << name;
    const Json failed = describe_answer({.result = fail(ErrorCode::kNotFound, "There is no such file.")},
                                        {.name = "read"}, client(name));
    EXPECT_EQ(failed.find("structuredContent"), nullptr) << name;
  }
  EXPECT_EQ(
      describe_answer(read_answer(), {.name = "read"}, client("old", "2025-03-26")).find("structuredContent"),
      nullptr);
}

}  // namespace
}  // namespace helve::mcp
