// Compares the complete event stream of a turn with a golden copy.
#include <gtest/gtest.h>

#include "agent/testing.h"

namespace helve::agent {
namespace {

// One event per line, without parts that differ between runs.
std::string golden(Agent& agent) {
  std::string out;
  for (const auto& event : agent.session().events().after(0).events) {
    std::string line = replace_all(to_text(event->to_json()), agent.id(), "SESSION");
    constexpr std::string_view kTime = "\"executionTimeMs\":";
    for (std::size_t at = line.find(kTime); at != std::string::npos; at = line.find(kTime, at + 1)) {
      const std::size_t digits = at + kTime.size();
      line.replace(digits, line.find_first_not_of("0123456789", digits) - digits, "0");
    }
    out += line + "\n";
  }
  return out;
}

constexpr std::string_view kExpected =
    R"golden({"event":"stream:response","eventId":"SESSION-1","seq":1,"stream_kind":"init","content":""}
{"event":"stream:response","eventId":"SESSION-2","seq":2,"stream_kind":"delta","content":"G"}
{"event":"stream:response","eventId":"SESSION-3","seq":3,"stream_kind":"delta","content":"o."}
{"event":"stream:response","eventId":"SESSION-4","seq":4,"stream_kind":"final","content":"Go."}
{"event":"stream:response","eventId":"SESSION-5","seq":5,"tool_call":"start","tool_call_id":"c1","tool_call_name":"stamp","tool_call_params":"{}"}
{"event":"stream:response","eventId":"SESSION-6","seq":6,"tool_call":"permission-required","tool_call_id":"c1","tool_call_name":"stamp","permission_request":{"toolName":"stamp","serverName":"","permissionType":"write","description":"stamp wants to write: {}","reason":"mode ask asks before write","alwaysRules":["stamp"],"sessionCovers":"this call again, with the same arguments"}}
{"event":"stream:response","eventId":"SESSION-7","seq":7,"tool_call":"permission-granted","tool_call_id":"c1","tool_call_name":"stamp"}
{"event":"stream:response","eventId":"SESSION-8","seq":8,"tool_call":"running","tool_call_id":"c1","tool_call_name":"stamp"}
{"event":"stream:response","eventId":"SESSION-9","seq":9,"tool_call":"end","tool_call_id":"c1","tool_call_name":"stamp","tool_call_response":"Stamped","tool_call_response_raw":{"toolResult":{"ok":true,"summary":"Stamped","content":"stamped","data":{},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]}}}}
{"event":"stream:response","eventId":"SESSION-10","seq":10,"stream_kind":"init","content":""}
{"event":"stream:response","eventId":"SESSION-11","seq":11,"stream_kind":"final","content":""}
{"event":"stream:response","eventId":"SESSION-12","seq":12,"tool_call":"start","tool_call_id":"c2","tool_call_name":"stamp","tool_call_params":"{}"}
{"event":"stream:response","eventId":"SESSION-13","seq":13,"tool_call":"permission-required","tool_call_id":"c2","tool_call_name":"stamp","permission_request":{"toolName":"stamp","serverName":"","permissionType":"write","description":"stamp wants to write: {}","reason":"mode ask asks before write","alwaysRules":["stamp"],"sessionCovers":"this call again, with the same arguments"}}
{"event":"stream:response","eventId":"SESSION-14","seq":14,"tool_call":"permission-denied","tool_call_id":"c2","tool_call_name":"stamp"}
{"event":"stream:response","eventId":"SESSION-15","seq":15,"tool_call":"error","tool_call_id":"c2","tool_call_name":"stamp","tool_call_response":"User denied the request. Reason: no","tool_call_response_raw":{"toolResult":{"ok":false,"error":{"code":"PERMISSION_DENIED","message":"User denied the request. Reason: no","hint":"Do not try the same again; find another way or ask.","details":{"kind":"DENIED_BY_USER","tool":"stamp","reason":"no"}},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]}}}}
{"event":"stream:response","eventId":"SESSION-16","seq":16,"stream_kind":"init","content":""}
{"event":"stream:response","eventId":"SESSION-17","seq":17,"stream_kind":"final","content":""}
{"event":"stream:response","eventId":"SESSION-18","seq":18,"tool_call":"start","tool_call_id":"c3","tool_call_name":"ask_user","tool_call_params":"{\"question\":\"Which?\",\"options\":[\"red\"]}"}
{"event":"stream:response","eventId":"SESSION-19","seq":19,"tool_call":"running","tool_call_id":"c3","tool_call_name":"ask_user"}
{"event":"stream:response","eventId":"SESSION-20","seq":20,"tool_call":"question-required","tool_call_id":"c3","tool_call_name":"ask_user","question_request":{"question":"Which?","choices":[{"value":"red","label":"red"}]}}
{"event":"stream:response","eventId":"SESSION-21","seq":21,"tool_call":"end","tool_call_id":"c3","tool_call_name":"ask_user","tool_call_response":"The user answered: red","tool_call_response_raw":{"toolResult":{"ok":true,"summary":"The user answered: red","content":"red","data":{"answers":["red"]},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]}}}}
{"event":"stream:response","eventId":"SESSION-22","seq":22,"stream_kind":"init","content":""}
{"event":"stream:response","eventId":"SESSION-23","seq":23,"stream_kind":"final","content":""}
{"event":"stream:response","eventId":"SESSION-24","seq":24,"tool_call":"start","tool_call_id":"c4","tool_call_name":"stamp","tool_call_params":"\"{oops\""}
{"event":"stream:response","eventId":"SESSION-25","seq":25,"tool_call":"error","tool_call_id":"c4","tool_call_name":"stamp","tool_call_response":"The arguments of stamp are not valid JSON: This is not valid JSON: unexpected 'o' (line 1, column 2).","tool_call_response_raw":{"toolResult":{"ok":false,"error":{"code":"INVALID_ARGUMENT","message":"The arguments of stamp are not valid JSON: This is not valid JSON: unexpected 'o' (line 1, column 2).","hint":"Nothing was run. Make the call again with one JSON object as its arguments."},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]}}}}
{"event":"stream:response","eventId":"SESSION-26","seq":26,"stream_kind":"init","content":""}
{"event":"stream:response","eventId":"SESSION-27","seq":27,"stream_kind":"delta","content":"B"}
{"event":"stream:response","eventId":"SESSION-28","seq":28,"stream_kind":"delta","content":"ye"}
{"event":"stream:response","eventId":"SESSION-29","seq":29,"stream_kind":"final","content":"Bye"}
{"event":"stream:end","eventId":"SESSION-30","seq":30,"reason":"done","details":{"usage":{"inputTokens":500,"cachedTokens":0,"outputTokens":50}}}
)golden";

TEST_F(AgentTest, TheEventStreamMatchesTheGoldenCopy) {
  options_.settings.mode = Mode::kAsk;
  approver_ = std::make_shared<ScriptedApprover>([](const PermissionRequest& request, const auto&) {
    return request.call_id == "c1" ? Approval{.granted = true} : Approval{.granted = false, .reason = "no"};
  });
  asker_ = std::make_shared<ScriptedAsker>([](const auto&, const auto&) {
    return helve::Reply{.kind = helve::Reply::Kind::kAnswered, .values = {"red"}};
  });
  ASSERT_TRUE(runtime().add(make_tool(
      {.name = "stamp", .description = "Stamps.", .effect = Effect::kWrite},
      [](Context&, const Json&) -> Result { return Output{.summary = "Stamped", .content = "stamped"}; })));
  model_.then(want({{"c1", "stamp", JsonObject()}}, "Go."));
  model_.then(want({{"c2", "stamp", JsonObject()}}));
  model_.then(want({{"c3", "ask_user", JsonObject{{"question", "Which?"}, {"options", JsonArray{"red"}}}}}));
  model_.then(want({{"c4", "stamp", "{oops"}}));
  model_.then(say("Bye"));
  EXPECT_EQ(agent().say("Stamp").reason, "done");
  EXPECT_EQ(golden(agent()), kExpected);
}

}  // namespace
}  // namespace helve::agent
