#include "model/dialect.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace helve::model {
namespace {

const Endpoint kChatServer{.place = "test.example", .model = "m"};

struct ChatRead {
  Expected<Reply> reply;
  std::string recorded;
};

ChatRead read_chat(const std::vector<std::string>& events) {
  ListenerLog recorded;
  const Listener listener = recorded.listener();
  const auto reader = openai_dialect()->reader(listener, kChatServer);
  for (const std::string& data : events)
    if (auto taken = reader->take({.data = data}); !taken) return {fail(taken.error()), recorded.log};
  if (!reader->has_ended()) return {fail(ErrorCode::kUnavailable, "cut"), recorded.log};
  return {reader->finish(), recorded.log};
}

std::string delta(const std::string& json, const std::string& finish = "null") {
  return concat(R"({"choices":[{"index":0,"delta":)", json, R"(,"finish_reason":)", finish, "}]}");
}

TEST(OpenaiReply, AssemblesTextFromPieces) {
  const auto [reply, recorded] = read_chat(
      {delta(R"({"role":"assistant","content":null})"), delta(R"({"content":"Hel"})"),
       delta(R"({"content":"lo ä"})"), delta("{}", R"("stop")"),
       R"({"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}})",
       "[DONE]"});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply), "text=Hello ä thought= stop=end usage=12/8/3");
  EXPECT_EQ(to_text(reply->raw), R"({"role":"assistant","content":"Hello ä"})");
  EXPECT_EQ(recorded, "text:Hel|text:lo ä|");
}

TEST(OpenaiReply, AssemblesCallsByIndex) {
  const auto [reply, recorded] = read_chat(
      {delta(
           R"({"content":"Look: ","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"grep","arguments":""}}]})"),
       delta(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"ls","arguments":"{\"pa"}}]})"),
       delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{"}}]})"),
       delta(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"ls","arguments":"th\":\".\"}"}}]})"),
       delta(R"({"tool_calls":[{"index":0,"id":"","function":{"name":null,"arguments":"\"q\": 1.0}"}}]})"),
       delta("{}", R"("tool_calls")"), "[DONE]"});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply),
            R"(text=Look:  thought= call=a:grep:{"q": 1.0} call=b:ls:{"path":"."} stop=calls usage=0/0/0)");
  EXPECT_EQ(recorded, "text:Look: |call:grep|call:ls|");
  // Arguments are sent back byte for byte.
  EXPECT_EQ(to_text(reply->raw),
            R"({"role":"assistant","content":"Look: ","tool_calls":[)"
            R"({"id":"a","type":"function","function":{"name":"grep","arguments":"{\"q\": 1.0}"}},)"
            R"({"id":"b","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]})");
}

TEST(OpenaiReply, AcceptsArgumentsByteByByteOrAsAnObject) {
  std::vector<std::string> events = {
      delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"exec","arguments":""}}]})")};
  for (const char c : std::string(R"({"command":"ls"})"))
    events.push_back(delta(concat(R"({"tool_calls":[{"index":0,"function":{"arguments":)",
                                  to_text(Json(std::string(1, c))), "}}]}")));
  events.push_back(
      delta(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"read","arguments":{"path":"x"}}}]})",
            R"("stop")"));
  const auto reply = read_chat(events).reply;
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(summary(*reply),
            R"(text= thought= call=a:exec:{"command":"ls"} call=b:read:{"path":"x"} stop=calls usage=0/0/0)");
  EXPECT_TRUE(reply->raw.find("content")->is_null());
}

TEST(OpenaiReply, GeneratesUniqueIdsIfMissing) {
  const auto reply = read_chat({delta(R"({"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}},
      {"index":1,"id":"x","function":{"name":"ls","arguments":"{}"}},
      {"index":2,"id":"x","function":{"name":"ls","arguments":""}}]})",
                                      R"("tool_calls")")})
                         .reply;
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_EQ(reply->calls.size(), 3U);
  EXPECT_TRUE(reply->calls[0].id.starts_with("call_"));
  EXPECT_EQ(reply->calls[1].id, "x");
  EXPECT_TRUE(reply->calls[2].id.starts_with("call_"));
  EXPECT_NE(reply->calls[0].id, reply->calls[2].id);
  EXPECT_EQ(reply->calls[2].arguments, "{}");
  const JsonArray& raw = reply->raw.find("tool_calls")->as_array();
  EXPECT_EQ(raw[0].find("id")->as_string(), reply->calls[0].id);
  EXPECT_EQ(raw[2].find("id")->as_string(), reply->calls[2].id);
}

TEST(OpenaiReply, AcceptsMissingOrZeroIndexes) {
  const auto missing =
      read_chat({delta(R"({"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}]})"),
                 delta(R"({"tool_calls":[{"id":"b","function":{"name":"ls","arguments":"{\"p"}}]})"),
                 delta(R"({"tool_calls":[{"function":{"arguments":"\":1}"}}]})", R"("stop")")})
          .reply;
  ASSERT_TRUE(missing);
  EXPECT_EQ(summary(*missing), R"(text= thought= call=a:ls:{} call=b:ls:{"p":1} stop=calls usage=0/0/0)");
  const auto zero =
      read_chat(
          {delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]})"),
           delta(R"({"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{\"p"}}]})"),
           delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]})", R"("stop")")})
          .reply;
  ASSERT_TRUE(zero);
  EXPECT_EQ(summary(*zero), summary(*missing));
}

TEST(OpenaiReply, ReportsReasoningOnceAndKeepsItsField) {
  const auto [reply, recorded] =
      read_chat({delta(R"({"reasoning_content":"Hm","reasoning":"Hm"})"),
                 delta(R"({"reasoning_content":"m."})"), delta(R"({"content":"Yes"})", R"("stop")")});
  ASSERT_TRUE(reply);
  EXPECT_EQ(recorded, "thought:Hm|thought:m.|text:Yes|");
  EXPECT_EQ(reply->reasoning, "Hmm.");
  EXPECT_EQ(reply->raw.find("reasoning_content")->as_string(), "Hmm.");
  const auto other = read_chat({delta(R"({"reasoning":"Well"})"), delta(R"({"content":"A"})", R"("stop")")});
  ASSERT_TRUE(other.reply);
  EXPECT_EQ(other.recorded, "thought:Well|text:A|");
  EXPECT_EQ(to_text(other.reply->raw), R"({"role":"assistant","content":"A","reasoning":"Well"})");
}

TEST(OpenaiReply, AcceptsContentInParts) {
  const auto [reply, recorded] =
      read_chat({delta(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]})"),
                 delta(R"({"content":[{"type":"text","text":"Yes"}]})", R"("stop")")});
  ASSERT_TRUE(reply);
  EXPECT_EQ(recorded, "thought:Hm|text:Yes|");
  EXPECT_EQ(summary(*reply), "text=Yes thought=Hm stop=end usage=0/0/0");
  EXPECT_EQ(to_text(reply->raw), R"({"role":"assistant","content":"Yes"})");
}

TEST(OpenaiReply, SendsSignaturesBackWithTheirCall) {
  const auto reply =
      read_chat(
          {delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"text":"a"}]})"),
           delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"text":"b","signature":"s"}]})"),
           delta(
               R"({"tool_calls":[{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"zz"}},"function":{"name":"ls","arguments":"{}"}}]})",
               R"("tool_calls")")})
          .reply;
  ASSERT_TRUE(reply);
  EXPECT_EQ(
      to_text(reply->raw),
      R"({"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","index":0,"text":"ab","signature":"s"}],)"
      R"("tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"},"extra_content":{"google":{"thought_signature":"zz"}}}]})");
}

TEST(OpenaiReply, MapsStopReasons) {
  const auto stop_of = [](const std::string& events_delta, const std::string& reason) {
    return read_chat({delta(events_delta, reason)}).reply.value().stop;
  };
  const std::string call =
      R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]})";
  EXPECT_EQ(stop_of(R"({"content":"x"})", R"("stop")"), StopReason::kEnd);
  EXPECT_EQ(stop_of(call, R"("stop")"), StopReason::kToolCalls);
  EXPECT_EQ(stop_of(call, R"("function_call")"), StopReason::kToolCalls);
  EXPECT_EQ(stop_of(call, R"("length")"), StopReason::kLength);
  EXPECT_EQ(stop_of("{}", R"("content_filter")"), StopReason::kRefused);
  const auto refused = read_chat({delta(R"({"refusal":"I will not."})", R"("stop")")});
  EXPECT_EQ(refused.reply.value().stop, StopReason::kRefused);
  EXPECT_EQ(refused.reply.value().text, "I will not.");
  EXPECT_EQ(refused.recorded, "text:I will not.|");
  // [DONE] alone also ends a reply; a missing end does not.
  EXPECT_EQ(read_chat({delta(call), "[DONE]"}).reply.value().stop, StopReason::kToolCalls);
  EXPECT_FALSE(read_chat({delta(call)}).reply);
  EXPECT_FALSE(read_chat({"[DONE]"}).reply);
}

TEST(OpenaiReply, ReportsErrorsInsideAStream) {
  for (const char* const event : {R"({"error":{"message":"too busy","type":"overloaded_error"}})",
                                  R"({"error":{"message":"too busy","code":529}})",
                                  R"({"object":"error","message":"too busy","code":529})"}) {
    const auto reply = read_chat({delta(R"({"content":"x"})"), event}).reply;
    ASSERT_FALSE(reply) << event;
    EXPECT_EQ(reply.error().message, "test.example is overloaded: too busy");
    EXPECT_TRUE(reply.error().transient);
  }
  const auto text = read_chat({R"({"error":"out of memory"})"}).reply;
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "test.example failed (status 500): out of memory");
  EXPECT_FALSE(read_chat({delta("{}", R"("error")")}).reply);
  const auto odd = read_chat({"no JSON"}).reply;
  ASSERT_FALSE(odd);
  EXPECT_EQ(
      odd.error().message,
      "The reply of test.example cannot be read: an event of the stream is not a JSON object; it begins "
      "with no JSON");
}

TEST(OpenaiReply, RepairsInvalidUtf8) {
  const auto reply = read_chat({delta("{\"content\":\"a\xC3\"}", R"("stop")")}).reply;
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "a\xEF\xBF\xBD");
}

TEST(OpenaiReply, WrapsInvalidJsonArgumentsWhenSendingThemBack) {
  const auto reply =
      read_chat(
          {delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{oops"}}]})",
                 R"("tool_calls")")})
          .reply;
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->calls[0].arguments, "{oops");
  const Json& function = *reply->raw.find("tool_calls")->as_array()[0].find("function");
  EXPECT_EQ(function.find("arguments")->as_string(), R"({"INVALID_JSON":"{oops"})");
}

TEST(OpenaiRequest, BuildsACompleteRequest) {
  const Json raw = parse_json(R"({"role":"assistant","content":null,"reasoning_content":"r","tool_calls":[
      {"id":"a","type":"function","function":{"name":"read","arguments":"{ \"path\": \"x\" }"}}]})")
                       .value();
  const Conversation conversation{
      .system = "Be brief.",
      .tools = {{"read", "Read a file.", JsonObject{{"type", "object"}}}},
      .turns = {UserTurn{"Hi"}, ModelTurn{raw},
                ResultsTurn{{{.call_id = "a", .content = "text", .images = {{"image/png", "PNG"}}},
                             {.call_id = "b", .content = "failed", .is_error = true}}},
                UserTurn{"Go on"}}};
  const Json request = openai_dialect()->request(conversation, {.model = "m"});
  EXPECT_EQ(
      to_text(request),
      concat(
          R"({"model":"m","tools":[{"type":"function","function":{"name":"read","description":"Read a file.","parameters":{"type":"object"}}}],)",
          R"("messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},)",
          to_text(raw),
          R"(,{"role":"tool","tool_call_id":"a","content":"text"},{"role":"tool","tool_call_id":"b","content":"failed"},)",
          R"({"role":"user","content":[{"type":"text","text":"Images from the result of call a:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]},)",
          R"({"role":"user","content":"Go on"}],"stream":true,"stream_options":{"include_usage":true}})"));
}

TEST(OpenaiRequest, SendsOptionsOnlyIfSet) {
  const RequestOptions options{
      .model = "m", .max_output_tokens = 100, .temperature = 0.5, .effort = "low", .thinking_tokens = 5};
  const Json plain = openai_dialect()->request({}, options);
  EXPECT_EQ(plain.find("max_tokens")->as_integer(), 100);
  EXPECT_EQ(plain.find("temperature")->as_double(), 0.5);
  EXPECT_EQ(plain.find("reasoning_effort")->as_string(), "low");
  EXPECT_EQ(plain.find("tools"), nullptr);
  const Json own = openai_dialect({.new_limit_name = true})->request({}, options);
  EXPECT_EQ(own.find("max_tokens"), nullptr);
  EXPECT_EQ(own.find("max_completion_tokens")->as_integer(), 100);
}

TEST(OpenaiRequest, ConvertsTurnsOfTheOtherDialect) {
  const Json raw =
      parse_json(R"({"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},
      {"type":"text","text":"Look"},{"type":"tool_use","id":"u1","name":"ls","input":{"path":"."}}]})")
          .value();
  const Json request = openai_dialect()->request({.turns = {ModelTurn{raw}}}, {.model = "m"});
  EXPECT_EQ(
      to_text(request.find("messages")->as_array()[0]),
      R"({"role":"assistant","content":"Look","tool_calls":[{"id":"u1","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]})");
}

TEST(OpenaiRequest, SendsRawMessagesBackUnchanged) {
  const auto reply =
      read_chat({delta(R"({"reasoning_content":"r","content":"c"})"),
                 delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{ }"}}]})",
                       R"("tool_calls")")})
          .reply;
  ASSERT_TRUE(reply);
  const Json request = openai_dialect()->request({.turns = {ModelTurn{reply->raw}}}, {.model = "m"});
  EXPECT_EQ(to_text(request.find("messages")->as_array()[0]), to_text(reply->raw));
}

}  // namespace
}  // namespace helve::model
