#include "mcp/http_endpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/test_directory.h"
#include "helve/runtime.h"
#include "mcp/client_sessions.h"
#include "mcp/http_testing.h"
#include "mcp/runtime_tools.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

TEST_F(HttpEndpointTest, ASessionBeginsAndEnds) {
  start(small_);
  HttpClient client = connect();
  const Answered early = client.post(kPing);
  EXPECT_EQ(early.status, 400) << "without a session";
  EXPECT_EQ(*early.body().find("id"), Json(1)) << "the client must know which request failed";
  EXPECT_EQ(*client.post(R"({"jsonrpc":"2.0","id":1,"result":{}})", "gone").body().find("id"), Json())
      << "a response is not a request";
  const std::string session = client.open_session();
  ASSERT_EQ(session.empty(), false);
  EXPECT_EQ(to_text(client.post(kPing, session).body()), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(client.post(kPing, "another").status, 404);
  EXPECT_EQ(client.send("DELETE", "", concat("Mcp-Session-Id: ", session, "\r\n")).status, 204);
  EXPECT_EQ(client.post(kPing, session).status, 404);
  const auto refused = client.send("PUT", "{}");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(to_text(refused.body()), R"({"error":"Allowed methods: POST, GET, DELETE."})");
}

TEST_F(HttpEndpointTest, SessionsAreIndependent) {
  start(small_);
  HttpClient client = connect();
  const std::string one = client.open_session();
  const std::string other = client.open_session();
  EXPECT_NE(one, other);
  HttpClient waiting = connect();
  std::jthread call([&] {
    const Answered answered =
        waiting.post(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait"}})", one);
    EXPECT_EQ(answered.status, 200);
  });
  while (small_.running == 0) std::this_thread::yield();
  constexpr std::string_view kCancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  EXPECT_EQ(client.post(kCancel, other).status, 202);
  EXPECT_EQ(client.post(kPing, other).status, 200);
  EXPECT_EQ(small_.running, 1) << "the id belongs to another session";
  EXPECT_EQ(client.post(kCancel, one).status, 202);
}

TEST_F(HttpEndpointTest, TheToolThatWasCheckedIsTheOneThatRuns) {
  start(small_);
  HttpClient client = connect();
  const Json call = JsonObject{{"jsonrpc", "2.0"},
                               {"id", 1},
                               {"method", "tools/call"},
                               {"params", testing::stateless(JsonObject{{"name", "echo"}})}};
  const Answered stateless =
      client.send("POST", to_text(call),
                  "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n");
  EXPECT_EQ(stateless.status, 200);
  EXPECT_EQ(small_.lookups.exchange(0), 1);
  const Answered in_session = client.post(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}})", client.open_session());
  EXPECT_EQ(in_session.status, 200);
  EXPECT_EQ(small_.lookups, 1);
}

TEST_F(HttpEndpointTest, RefusesInvalidMessagesAndServesTheNextRequest) {
  start(small_);
  HttpClient client = connect();
  const std::string session = client.open_session();
  const std::string deep = concat(std::string(5'000, '['), std::string(5'000, ']'));
  for (const std::string_view wrong :
       {std::string_view(""), std::string_view("garbage"), std::string_view("{\"jsonrpc\":\"2.0\",\"id\":1"),
        std::string_view(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"), std::string_view(deep),
        std::string_view("7"), std::string_view("[]"), std::string_view("{}"),
        std::string_view("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"),
        std::string_view(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"),
        std::string_view(R"({"jsonrpc":"2.0","id":{},"method":"ping"})")}) {
    const Answered refused = client.post(wrong, session);
    EXPECT_EQ(refused.status, 400) << wrong.substr(0, 60) << refused.text;
    EXPECT_EQ(client.post(kPing, session).status, 200) << wrong.substr(0, 60);
  }
}

TEST_F(HttpEndpointTest, AMalformedRequestIsNotAnsweredWithoutItsId) {
  start(small_);
  HttpClient client = connect();
  const Answered refused = client.post(R"({"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\ud800"}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(*refused.body().find("id"), Json(5));
}

TEST_F(HttpEndpointTest, RefusesOtherOriginsAndHosts) {
  start(small_);
  for (const std::string_view headers : {"Origin: null\r\n", "Origin: https://evil.example\r\n",
                                         "Origin: http://localhost.evil.example\r\n"}) {
    HttpClient client = connect();
    EXPECT_EQ(client.send("POST", kPing, headers).status, 403) << headers;
  }
  for (const std::string_view host :
       {"evil.example", "localhost.evil.example", "[::2]", "127.0.0.1.evil", ""}) {
    http::RawClient raw(http_->port());
    raw.send(concat("POST /mcp HTTP/1.1\r\nHost: ", host, "\r\nContent-Length: 2\r\n\r\n{}"));
    const std::string text = raw.read_all();
    EXPECT_TRUE(text.starts_with("HTTP/1.1 403") || text.starts_with("HTTP/1.1 400")) << host << text;
  }
  http::RawClient absolute(http_->port());  // the request line and the header name different hosts
  absolute.send("POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  const std::string text = absolute.read_all();
  EXPECT_TRUE(text.starts_with("HTTP/1.1 403") || text.starts_with("HTTP/1.1 400")) << text;
}

TEST_F(HttpEndpointTest, CancelsTheCallOfAStatelessClientThatDisconnects) {
  start(small_);
  {
    HttpClient client = connect();
    const std::string body =
        to_text(JsonObject{{"jsonrpc", "2.0"},
                           {"id", 1},
                           {"method", "tools/call"},
                           {"params", testing::stateless(JsonObject{{"name", "wait"}})}});
    client.raw().send(concat(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n",
        "Mcp-Method: tools/call\r\nMcp-Name: wait\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
    ASSERT_TRUE(http::comes_true([&] { return small_.running == 1; }));
  }
  EXPECT_TRUE(http::comes_true([&] { return small_.running == 0; }));
}

TEST_F(HttpEndpointTest, StopsRunningAndWaitingCallsAtTheEnd) {
  start(small_);
  HttpClient client = connect();
  const std::string session =
      client
          .post(
              R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}})")
          .header("Mcp-Session-Id");
  const auto begin = [&](HttpClient& on, int id, std::string_view tool) {
    const std::string body = concat(R"({"jsonrpc":"2.0","id":)", std::to_string(id),
                                    R"(,"method":"tools/call","params":{"name":")", tool, R"("}})");
    on.raw().send(concat("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
                         "Accept: application/json, text/event-stream\r\nMcp-Session-Id: ", session,
                         "\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
  };
  HttpClient waiting = connect();
  begin(waiting, 1, "wait");
  HttpClient asking = connect();
  begin(asking, 2, "ask");
  ASSERT_TRUE(http::comes_true([&] { return small_.running == 2; }));
  http_.reset();
  endpoint_.reset();  // waits for both
  EXPECT_EQ(small_.running, 0);
}

TEST_F(HttpEndpointTest, AFailedInitializeCreatesNoSession) {
  start(small_);
  HttpClient client = connect();
  const Answered refused = client.post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{}})");
  EXPECT_EQ(testing::code_of(refused.body()), rpc::kInvalidParams);
  EXPECT_EQ(refused.header("Mcp-Session-Id"), "");
  EXPECT_EQ(endpoint_->open_sessions(), 0U);
}

TEST_F(HttpEndpointTest, LimitsTheNumberOfSessions) {
  start(small_);
  HttpClient client = connect();
  for (int i = 0; i < 32; ++i) EXPECT_NE(client.open_session(), "");
  const Answered refused = client.post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  EXPECT_EQ(refused.status, 503);
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

// With the real tools: each session opens one in the runtime, and must free everything.
TEST_F(HttpEndpointTest, SessionsLeakNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kSessions = 300;
#else
  constexpr int kSessions = 10'000;
#endif
  const TestDirectory workspace;
  const TestDirectory state;
  workspace.write("a.txt", "text\n");
  auto runtime = Runtime::create({.workspace = workspace.path(), .state_directory = state.path()});
  ASSERT_TRUE(runtime);
  ClientSessions sessions{std::shared_ptr<Runtime>(*std::move(runtime))};
  RuntimeTools tools(sessions);
  start(tools);
  HttpClient client = connect();
  const auto use = [&] {
    const std::string session = client.open_session();
    const Answered read = client.post(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a.txt"}}})",
        session);
    EXPECT_EQ(testing::text_of(read.body()), "1\ttext\n");
    EXPECT_EQ(client.send("DELETE", "", concat("Mcp-Session-Id: ", session, "\r\n")).status, 204);
  };
  for (int i = 0; i < kSessions / 10; ++i) use();
  const std::size_t descriptors = http::count_entries("/proc/self/fd");
  const std::size_t threads = http::count_entries("/proc/self/task");
  const std::size_t memory = resident_bytes();
  for (int i = 0; i < kSessions; ++i) use();
  EXPECT_EQ(endpoint_->open_sessions(), 0U);
  EXPECT_LE(http::count_entries("/proc/self/fd"), descriptors + 2);
  EXPECT_LE(http::count_entries("/proc/self/task"), threads + 8);  // the pool may grow on a slow machine
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(resident_bytes(), memory + (std::size_t{8} << 20));
#else
  static_cast<void>(memory);  // sanitizers keep what was freed
#endif
  http_.reset();  // before the tools
  endpoint_.reset();
  server_.reset();
}

}  // namespace
}  // namespace helve::mcp
