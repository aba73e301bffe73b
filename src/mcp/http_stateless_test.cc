// Clients of the stateless protocol over HTTP share nothing, unless they repeat a session's handle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/test_directory.h"
#include "mcp/client_sessions.h"
#include "mcp/http_testing.h"
#include "mcp/runtime_tools.h"

namespace helve::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHandleHeader = "Helve-Session";

// Serves the real tools to clients that all call themselves "agent".
class HttpStatelessTest : public HttpEndpointTest {
 protected:
  void SetUp() override { serve(Mode::kFull); }
  void TearDown() override {
    if (server_) server_->stop();  // questions without an answer
    http_.reset();                 // before the tools
    endpoint_.reset();
    server_.reset();
  }

  void serve(Mode mode) {
    TearDown();
    workspace_.write("a.txt", "one\n");
    Settings settings;
    settings.mode = mode;
    auto runtime = Runtime::create({.workspace = workspace_.path(),
                                    .settings = settings,
                                    .state_directory = state_.path(),
                                    .launcher = "/proc/self/exe"});
    ASSERT_TRUE(runtime) << runtime.error().message;
    tools_.reset();
    sessions_ = std::make_unique<ClientSessions>(std::shared_ptr<Runtime>(*std::move(runtime)));
    tools_ = std::make_unique<RuntimeTools>(*sessions_);
    start(*tools_);
  }

  static Answered call(HttpClient& client, std::string_view tool, Json arguments,
                       std::string_view headers = {}, const Json& more = JsonObject()) {
    Json params = testing::stateless(JsonObject{{"name", tool}, {"arguments", std::move(arguments)}});
    params["_meta"][std::string(rpc::kMetaClientInfo)] = JsonObject{{"name", "agent"}, {"version", "1"}};
    for (const auto& [name, value] : more.as_object()) params[name] = value;
    return client.send(
        "POST",
        to_text(JsonObject{
            {"jsonrpc", "2.0"}, {"id", ++ids_}, {"method", "tools/call"}, {"params", std::move(params)}}),
        concat("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ", tool, "\r\n",
               headers));
  }
  static Answered edit(HttpClient& client, std::string_view headers = {}) {
    return call(client, "edit", JsonObject{{"path", "a.txt"}, {"oldText", "one"}, {"newText", "two"}},
                headers);
  }
  static Answered undo(HttpClient& client, std::string_view headers = {}) {
    return call(client, "undo", JsonObject(), headers);
  }
  [[nodiscard]] std::string content() const {
    std::ifstream file(concat(workspace_.path(), "/a.txt"));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  static std::string with_token(std::string_view token) {
    return concat("Authorization: Bearer ", token, "\r\n");
  }

  TestDirectory workspace_;
  TestDirectory state_;
  std::unique_ptr<ClientSessions> sessions_;
  std::unique_ptr<RuntimeTools> tools_;
  static inline int ids_ = 0;
};

TEST_F(HttpStatelessTest, AClientDoesNotUndoTheEditOfAnotherWithItsName) {
  HttpClient first = connect();
  HttpClient second = connect();
  EXPECT_THAT(edit(first).text, HasSubstr("HTTP/1.1 200"));
  ASSERT_EQ(content(), "two\n");
  undo(second);
  EXPECT_EQ(content(), "two\n");
  undo(first);
  EXPECT_EQ(content(), "one\n") << "its own edit";
}

TEST_F(HttpStatelessTest, AClientDoesNotReadTheCommandsOfAnotherWithItsName) {
  HttpClient first = connect();
  HttpClient second = connect();
  const Answered ran = call(first, "exec", JsonObject{{"command", "echo se''cret"}, {"background", true}});
  ASSERT_THAT(ran.text, HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(call(first, "process", JsonObject{{"action", "list"}}).text, HasSubstr("se''cret"));
  EXPECT_THAT(call(second, "process", JsonObject{{"action", "list"}}).text, Not(HasSubstr("se''cret")));
}

TEST_F(HttpStatelessTest, AnApprovalForTheSessionDoesNotHoldForAnotherClientWithItsName) {
  serve(Mode::kAsk);
  HttpClient first = connect();
  HttpClient second = connect();
  const Json asked = edit(first).body();
  const Json* questions = asked.find("result")->find("inputRequests");
  ASSERT_NE(questions, nullptr) << to_text(asked);
  const Json answer =
      JsonObject{{"action", "accept"}, {"content", JsonObject{{"decision", "allow for this session"}}}};
  const Json arguments = JsonObject{{"path", "a.txt"}, {"oldText", "one"}, {"newText", "two"}};
  call(first, "edit", arguments, {},
       JsonObject{{"requestState", *asked.find("result")->find("requestState")},
                  {"inputResponses", JsonObject{{questions->as_object().begin()->first, answer}}}});
  ASSERT_EQ(content(), "two\n");
  const Json again = JsonObject{{"path", "a.txt"}, {"oldText", "two"}, {"newText", "three"}};
  EXPECT_NE(call(second, "edit", again).body().find("result")->find("inputRequests"), nullptr);
  EXPECT_EQ(content(), "two\n");
  call(first, "edit", again);
  EXPECT_EQ(content(), "three\n") << "it was allowed for this session";
}

TEST_F(HttpStatelessTest, AnotherTokenDoesNotContinueASession) {
  guard_.token = "token-of-one-client";
  guard_.check_token = [](std::string_view) {
    return std::nullopt;
  };  // an OAuth server that knows all others
  HttpClient client = connect();
  const Answered edited = edit(client, with_token("token-of-one-client"));
  ASSERT_EQ(content(), "two\n");
  const std::string handle = concat(kHandleHeader, ": ", edited.header(kHandleHeader), "\r\n");
  undo(client, with_token("token-of-another"));  // as a proxy would send it
  EXPECT_EQ(content(), "two\n");
  EXPECT_EQ(undo(client, with_token("token-of-another") + handle).status, 404);
  EXPECT_EQ(content(), "two\n");
  undo(client, with_token("token-of-one-client"));
  EXPECT_EQ(content(), "one\n");
}

TEST_F(HttpStatelessTest, AnotherTokenDoesNotAnswerAQuestion) {
  serve(Mode::kAsk);
  guard_.check_token = [](std::string_view) { return std::nullopt; };
  HttpClient client = connect();
  const Json asked = edit(client, with_token("one")).body();
  const Json* questions = asked.find("result")->find("inputRequests");
  ASSERT_NE(questions, nullptr) << to_text(asked);
  const Json allowed = JsonObject{{"action", "accept"}, {"content", JsonObject{{"decision", "allow once"}}}};
  const Json answers =
      JsonObject{{"requestState", *asked.find("result")->find("requestState")},
                 {"inputResponses", JsonObject{{questions->as_object().begin()->first, allowed}}}};
  const Json arguments = JsonObject{{"path", "a.txt"}, {"oldText", "one"}, {"newText", "two"}};
  const Answered refused = call(client, "edit", arguments, with_token("another"), answers);
  EXPECT_EQ(testing::code_of(refused.body()), rpc::kInvalidParams);
  EXPECT_EQ(content(), "one\n");
  call(client, "edit", arguments, with_token("one"), answers);
  EXPECT_EQ(content(), "two\n");
}

TEST_F(HttpStatelessTest, AHandleContinuesTheSessionOnAnotherConnection) {
  HttpClient first = connect();
  HttpClient second = connect();
  const std::string handle = concat(kHandleHeader, ": ", edit(first).header(kHandleHeader), "\r\n");
  ASSERT_EQ(content(), "two\n");
  EXPECT_EQ(undo(second, concat(kHandleHeader, ": made-up\r\n")).status, 404);
  EXPECT_EQ(content(), "two\n");
  undo(second, handle);
  EXPECT_EQ(content(), "one\n");
}

TEST_F(HttpStatelessTest, ClientsBehindAProxyDoNotShareItsConnection) {
  HttpClient proxy = connect();
  edit(proxy, "X-Forwarded-For: 192.0.2.1\r\n");
  ASSERT_EQ(content(), "two\n");
  undo(proxy, "X-Forwarded-For: 192.0.2.2\r\n");
  EXPECT_EQ(content(), "two\n");
}

}  // namespace
}  // namespace helve::mcp
