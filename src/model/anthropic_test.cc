#include "model/dialect.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace helve::model {
namespace {

const Endpoint kServer{.place = "test.example", .model = "m"};

struct Read {
  Expected<Reply> reply;
  std::string recorded;
};

Read read_events(const std::vector<std::string>& events) {
  ListenerLog recorded;
  const Listener listener = recorded.listener();
  const auto reader = anthropic_dialect()->reader(listener, kServer);
  for (const std::string& data : events)
    if (auto taken = reader->take({.data = data}); !taken) return {fail(taken.error()), recorded.log};
  if (!reader->has_ended()) return {fail(ErrorCode::kUnavailable, "cut"), recorded.log};
  return {reader->finish(), recorded.log};
}

const std::string kStart =
    R"({"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":5,"output_tokens":1}}})";

std::string block(int index, const std::string& json) {
  return concat(R"({"type":"content_block_start","index":)", index, R"(,"content_block":)", json, "}");
}
std::string piece(int index, const std::string& json) {
  return concat(R"({"type":"content_block_delta","index":)", index, R"(,"delta":)", json, "}");
}
std::string end_of(int index) { return concat(R"({"type":"content_block_stop","index":)", index, "}"); }
std::string finished(const std::string& reason) {
  return concat(R"({"type":"message_delta","delta":{"stop_reason":")", reason,
                R"("},"usage":{"output_tokens":42}})");
}
const std::string kStop = R"({"type":"message_stop"})";

TEST(AnthropicReply, AssemblesInterleavedBlocks) {
  const auto [reply, recorded] =
      read_events({kStart,
                   R"({"type":"ping"})",
                   block(0, R"({"type":"thinking","thinking":"","signature":""})"),
                   piece(0, R"({"type":"thinking_delta","thinking":"Hm"})"),
                   piece(0, R"({"type":"signature_delta","signature":"sig"})"),
                   end_of(0),
                   block(1, R"({"type":"redacted_thinking","data":"xyz"})"),
                   end_of(1),
                   block(2, R"({"type":"text","text":""})"),
                   block(3, R"({"type":"tool_use","id":"t1","name":"grep","input":{}})"),
                   piece(3, R"({"type":"input_json_delta","partial_json":""})"),
                   piece(2, R"({"type":"text_delta","text":"Lo"})"),
                   piece(3, R"({"type":"input_json_delta","partial_json":"{\"q\":"})"),
                   piece(2, R"({"type":"text_delta","text":"ok"})"),
                   end_of(2),
                   piece(3, R"({"type":"input_json_delta","partial_json":" \"x\"}"})"),
                   end_of(3),
                   block(4, R"({"type":"tool_use","id":"t2","name":"ls","input":{}})"),
                   end_of(4),
                   finished("tool_use"),
                   kStop});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply),
            R"(text=Look thought=Hm call=t1:grep:{"q": "x"} call=t2:ls:{} stop=calls usage=115/100/42)");
  EXPECT_EQ(recorded, "thought:Hm|call:grep|text:Lo|text:ok|call:ls|");
  EXPECT_EQ(
      to_text(reply->raw),
      R"({"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"sig"},{"type":"redacted_thinking","data":"xyz"},)"
      R"({"type":"text","text":"Look"},{"type":"tool_use","id":"t1","name":"grep","input":{"q":"x"}},{"type":"tool_use","id":"t2","name":"ls","input":{}}]})");
}

TEST(AnthropicReply, AcceptsLlamaServerBlocksWithoutInput) {
  const auto reply = read_events({kStart, block(0, R"({"type":"text","text":""})"),
                                  piece(0, R"({"type":"text_delta","text":"A"})"),
                                  block(1, R"({"type":"tool_use","id":"t","name":"ls"})"),
                                  piece(1, R"({"type":"input_json_delta","partial_json":"{}"})"), end_of(0),
                                  end_of(1), finished("tool_use"), kStop})
                         .reply;
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), "text=A thought= call=t:ls:{} stop=calls usage=115/100/42");
  EXPECT_TRUE(reply->raw.find("content")->as_array()[1].find("input")->is_object());
}

TEST(AnthropicReply, MapsStopReasons) {
  const auto stop_of = [](const std::string& reason) {
    return read_events({kStart, finished(reason), kStop}).reply.value().stop;
  };
  EXPECT_EQ(stop_of("end_turn"), StopReason::kEnd);
  EXPECT_EQ(stop_of("stop_sequence"), StopReason::kEnd);
  EXPECT_EQ(stop_of("max_tokens"), StopReason::kLength);
  EXPECT_EQ(stop_of("pause_turn"), StopReason::kPaused);
  EXPECT_EQ(stop_of("refusal"), StopReason::kRefused);
  EXPECT_EQ(stop_of("model_context_window_exceeded"), StopReason::kContextFull);
  // Without message_stop the reply is complete; without a stop reason it was cut off.
  EXPECT_TRUE(read_events({kStart, finished("end_turn")}).reply);
  EXPECT_FALSE(read_events({kStart, block(0, R"({"type":"text","text":"x"})"), end_of(0)}).reply);
}

TEST(AnthropicReply, CutOffCallsReportTheLengthLimit) {
  const auto reply =
      read_events({kStart, block(0, R"({"type":"tool_use","id":"t","name":"write","input":{}})"),
                   piece(0, R"({"type":"input_json_delta","partial_json":"{\"pa"})"), finished("max_tokens"),
                   kStop})
          .reply;
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->stop, StopReason::kLength);
  EXPECT_EQ(to_text(*reply->raw.find("content")->as_array()[0].find("input")), R"({"INVALID_JSON":"{\"pa"})");
}

TEST(AnthropicReply, ReportsErrorsInsideAStream) {
  const auto reply =
      read_events({kStart, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"})
          .reply;
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "test.example is overloaded: Overloaded");
  EXPECT_TRUE(reply.error().transient);
  const auto wrong = read_events({piece(7, R"({"type":"text_delta","text":"x"})")}).reply;
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.contains("a block that never started")) << wrong.error().message;
}

TEST(AnthropicReply, KeepsBlocksOfServerTools) {
  const auto reply =
      read_events(
          {kStart, block(0, R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}})"),
           piece(0, R"({"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"})"),
           block(1, R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":"T"}]})"),
           finished("pause_turn"), kStop})
          .reply;
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->calls.empty());
  EXPECT_EQ(reply->stop, StopReason::kPaused);
  EXPECT_EQ(
      to_text(*reply->raw.find("content")),
      R"([{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"s","content":[{"title":"T"}]}])");
}

TEST(AnthropicRequest, SendsResultsOfARoundFirstInOneMessage) {
  const Json raw =
      parse_json(R"({"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},
      {"type":"tool_use","id":"a","name":"ls","input":{"z":1,"a":2}}]})")
          .value();
  const Conversation conversation{
      .system = "Be brief.",
      .tools = {{"ls", "List.", JsonObject{{"type", "object"}}},
                {"read", "Read.", JsonObject{{"type", "object"}}}},
      .turns = {UserTurn{"Hi"}, ModelTurn{raw}, UserTurn{"Also this"},
                ResultsTurn{{{.call_id = "a", .content = "x", .images = {{"image/png", "PNG"}}},
                             {.call_id = "b", .content = "no", .is_error = true}}},
                UserTurn{"Go on"}}};
  const Json request = anthropic_dialect()->request(conversation, {.model = "m", .max_output_tokens = 100});
  EXPECT_EQ(
      to_text(request),
      concat(
          R"({"model":"m","max_tokens":100,"tools":[{"name":"ls","description":"List.","input_schema":{"type":"object"}},)",
          R"({"name":"read","description":"Read.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],)",
          R"("system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],)",
          R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]},)",
          to_text(raw),
          R"(,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"},)",
          R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"UE5H"}}]},)",
          R"({"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"no"}],"is_error":true},)",
          R"({"type":"text","text":"Also this"},{"type":"text","text":"Go on","cache_control":{"type":"ephemeral"}}]}],"stream":true})"));
}

TEST(AnthropicRequest, SetsAtMostFourCacheMarks) {
  Conversation conversation{.system = "s", .tools = {{"ls", "List.", JsonObject()}}};
  for (int i = 0; i < 10; ++i) {
    conversation.turns.push_back(UserTurn{"q"});
    conversation.turns.push_back(ModelTurn{JsonObject{
        {"role", "assistant"}, {"content", JsonArray{JsonObject{{"type", "text"}, {"text", "a"}}}}}});
  }
  const std::string text = to_text(anthropic_dialect()->request(conversation, {.model = "m"}));
  std::size_t marks = 0;
  for (std::size_t at = text.find("cache_control"); at != std::string::npos;
       at = text.find("cache_control", at + 1))
    ++marks;
  EXPECT_EQ(marks, 4U);
}

TEST(AnthropicRequest, SendsThinkingByBudgetOrByEffort) {
  const Json budget = anthropic_dialect()->request({}, {.model = "m", .thinking_tokens = 2000});
  EXPECT_EQ(to_text(*budget.find("thinking")), R"({"type":"enabled","budget_tokens":2000})");
  EXPECT_EQ(budget.find("max_tokens")->as_integer(), 18'000);
  const Json effort = anthropic_dialect()->request({}, {.model = "m", .effort = "high"});
  EXPECT_EQ(to_text(*effort.find("thinking")), R"({"type":"adaptive"})");
  EXPECT_EQ(to_text(*effort.find("output_config")), R"({"effort":"high"})");
  const Json plain = anthropic_dialect()->request({}, {.model = "m"});
  EXPECT_EQ(plain.find("thinking"), nullptr);
  EXPECT_EQ(plain.find("output_config"), nullptr);
}

TEST(AnthropicRequest, ConvertsTurnsOfTheOtherDialect) {
  const Json raw = parse_json(R"({"role":"assistant","content":"Look","tool_calls":[{"id":"functions.ls:0",
      "type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]})")
                       .value();
  const Json request = anthropic_dialect()->request(
      {.turns = {ModelTurn{raw}, ResultsTurn{{{.call_id = "functions.ls:0", .content = ""}}}}},
      {.model = "m"});
  EXPECT_EQ(
      to_text(*request.find("messages")),
      R"([{"role":"assistant","content":[{"type":"text","text":"Look"},{"type":"tool_use","id":"functions_ls_0","name":"ls","input":{"path":"."}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_ls_0","cache_control":{"type":"ephemeral"}}]}])");
}

TEST(AnthropicRequest, SanitizesTheIdsOfCallsAndResultsAlike) {
  const Json raw = parse_json(R"({"role":"assistant","content":[{"type":"text","text":"Look"},)"
                              R"({"type":"tool_use","id":"ls:0.1","name":"ls","input":{}}]})")
                       .value();
  const Json request = anthropic_dialect()->request(
      {.turns = {ModelTurn{raw}, ResultsTurn{{{.call_id = "ls:0.1", .content = "a"}}}}}, {.model = "m"});
  const JsonArray& messages = request.find("messages")->as_array();
  EXPECT_EQ(*messages.at(0).find("content")->as_array().at(1).find("id"), Json("ls_0_1"));
  EXPECT_EQ(*messages.at(1).find("content")->as_array().at(0).find("tool_use_id"), Json("ls_0_1"));
}

TEST(AnthropicRequest, OmitsEmptyMessages) {
  const Json request = anthropic_dialect()->request(
      {.turns = {UserTurn{"Hi"}, ModelTurn{JsonObject{{"role", "assistant"}, {"content", JsonArray()}}},
                 UserTurn{" "}}},
      {.model = "m"});
  EXPECT_EQ(request.find("messages")->as_array().size(), 1U);
  EXPECT_EQ(request.find("system"), nullptr);
}

}  // namespace
}  // namespace helve::model
