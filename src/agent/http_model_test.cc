// Runs an agent with a model behind HTTP, from the user's message to the changed file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing.h"
#include "model/dialect.h"
#include "model/remote_model.h"
#include "model/testing.h"

namespace helve::agent {
namespace {

using model::data_events;
using model::Script;
using model::ScriptedServer;
using model::stream_head;

std::string delta(const std::string& json, const std::string& finish = "null") {
  return concat(R"({"choices":[{"index":0,"delta":)", json, R"(,"finish_reason":)", finish, "}]}");
}

TEST_F(AgentTest, WorksOverChatCompletions) {
  put("greeting.txt", "Hello wrold\n");
  // A busy server first, then a reply with two calls sent byte by byte, then the final reply.
  const std::string calls = data_events(
      {delta(R"({"role":"assistant","content":"On it."})"),
       delta(
           R"({"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"edit","arguments":"{\"path\":\"greeting.txt\",\"oldText\":\"wrold\","}}]})"),
       delta(
           R"({"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]})"),
       delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"newText\":\"world\"}"}}]})"),
       delta("{}", R"("tool_calls")"),
       R"({"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":40}})", "[DONE]"});
  const std::string done =
      data_events({delta(R"({"role":"assistant","content":"Fixed — ä."})"), delta("{}", R"("stop")"),
                   R"({"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":5}})", "[DONE]"});
  ScriptedServer server({Script{.bytes = model::whole_answer(429, R"({"error":{"message":"busy"}})")},
                         Script{.bytes = stream_head() + calls, .piece = 1},
                         Script{.bytes = stream_head() + done}});
  const auto remote = model::remote_model(model::openai_dialect(),
                                          {.url = server.url("/v1/chat/completions"),
                                           .request = {.model = "test-model"},
                                           .endpoint = {.place = "the test", .model = "test-model"},
                                           .retries = {.first_pause = std::chrono::milliseconds(1)}});
  const AgentParts over_http{.runtime = runtime(), .model = *remote, .records = records()};
  agent_ = Agent::begin(over_http, "You are a test.", "Fix it").value();
  const Ending ending = agent().say("Fix the greeting.");
  EXPECT_EQ(ending.reason, "done") << (ending.error ? ending.error->message : "");
  EXPECT_EQ(get("greeting.txt"), "Hello world\n");
  EXPECT_EQ(agent().last_text(), "Fixed — ä.");
  EXPECT_EQ(agent().transcript().usage(), (model::Usage{.input_tokens = 1'900, .output_tokens = 45}));

  // The server got tools with schemas, its own message unchanged, and one result per call.
  const Json last = server.body(server.requests().size() - 1);
  const JsonArray& messages = last.find("messages")->as_array();
  ASSERT_EQ(messages.size(), 5u) << to_text(last);
  EXPECT_EQ(messages[0].find("role")->as_string(), "system");
  EXPECT_EQ(messages[2].find("tool_calls")->as_array().size(), 2u);
  EXPECT_EQ(messages[3].find("tool_call_id")->as_string(), "call_a");
  EXPECT_EQ(messages[4].find("tool_call_id")->as_string(), "call_b");
  EXPECT_GT(last.find("tools")->as_array().size(), 10u);
  // The busy server was reported as a retry.
  EXPECT_THAT(events_text(), ::testing::HasSubstr("error! "));
}

}  // namespace
}  // namespace helve::agent
