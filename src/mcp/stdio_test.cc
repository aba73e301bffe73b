#include "mcp/stdio.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using testing::json;
using testing::TestTools;

// A server on pipes, from the client's side.
class StdioTest : public ::testing::Test {
 public:
  StdioTest() {
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    to_server_ = UniqueFd(in[1]);
    from_server_ = UniqueFd(out[0]);
    serving_ = std::jthread([this, in = in[0], out = out[1]] {
      serve_stdio(server_, std::make_shared<Client>(),
                  {.in = in, .out = out, .longest_message = 10'000, .most_threads = 9});
      ::close(in);
      ::close(out);
    });
  }
  ~StdioTest() override {
    to_server_ = UniqueFd();
    tools_.finish_slow();
  }

  void send(std::string_view text) { ASSERT_TRUE(write_all(to_server_.get(), concat(text, "\n"))); }
  void call(int id, std::string_view tool) {
    send(concat(R"({"jsonrpc":"2.0","id":)", std::to_string(id),
                R"(,"method":"tools/call","params":{"name":")", tool, R"("}})"));
  }
  // The next line, or nothing at the end.
  std::optional<Json> receive() {
    for (;;) {
      if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
        Json line = json(received_.substr(0, end));
        received_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const ssize_t size = ::read(from_server_.get(), buffer, sizeof buffer);
      if (size <= 0) return {};
      received_.append(buffer, static_cast<std::size_t>(size));
    }
  }

  TestTools tools_;
  Server server_{{.version = "1"}, {.tools = &tools_}};
  UniqueFd to_server_;
  UniqueFd from_server_;
  std::string received_;
  std::jthread serving_;
};

TEST_F(StdioTest, RefusesInvalidMessagesAndServesTheNextRequest) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  ASSERT_TRUE(receive());
  const std::string deep(5'000, '[');
  for (const std::string_view wrong :
       {std::string_view("garbage"), std::string_view(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})"),
        std::string_view(R"({"jsonrpc":"2.0","id":1)"), std::string_view("\"text\""), std::string_view("{}"),
        std::string_view(R"({"jsonrpc":"2.0","id":[],"method":"ping"})"), std::string_view("[]"),
        std::string_view(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), std::string_view(deep),
        std::string_view("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}")}) {
    send(wrong);
    const auto refused = receive();
    ASSERT_TRUE(refused) << wrong.substr(0, 60);
    EXPECT_NE(refused->find("error"), nullptr) << wrong.substr(0, 60);
    send(R"({"jsonrpc":"2.0","id":"next","method":"ping"})");
    EXPECT_EQ(to_text(*receive()), R"({"jsonrpc":"2.0","id":"next","result":{}})");
  }
}

TEST_F(StdioTest, ReturnsIdsUnchanged) {
  for (const std::string_view id : {"0", "-5", "9007199254740993", "\"\"", "\"ü\\u0000\"", "1.5"}) {
    send(concat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":"ping"})"));
    EXPECT_EQ(*receive()->find("id"), json(id)) << id;
  }
}

TEST_F(StdioTest, AMalformedRequestIsNotAnsweredWithoutItsId) {
  send(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"\ud800"}})");
  const Json refused = *receive();
  EXPECT_EQ(testing::code_of(refused), rpc::kParseError);
  EXPECT_EQ(*refused.find("id"), Json(5));
}

TEST_F(StdioTest, RefusesAndSkipsAMessageThatIsTooLong) {
  send(concat(R"({"jsonrpc":"2.0","id":1,"method":")", std::string(200'000, 'x'), "\"}"));
  const Json refused = *receive();
  EXPECT_EQ(testing::code_of(refused), rpc::kInvalidRequest);
  EXPECT_EQ(*refused.find("id"), Json(1));
  send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(*receive()->find("id"), Json(2));
}

TEST_F(StdioTest, QueuesCallsBeyondTheThreadLimitAndStillReadsCancellations) {
  constexpr int kCalls = 1'000;
  for (int id = 0; id < kCalls; ++id) call(id, "wait");
  while (tools_.running < 8) std::this_thread::yield();
  for (int id = kCalls - 1; id >= 0; --id)  // running calls last
    send(concat(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)",
                std::to_string(id), "}}"));
  std::vector<bool> answered(kCalls, false);
  for (int count = 0; count < kCalls; ++count)
    answered[static_cast<std::size_t>(receive()->find("id")->as_integer())] = true;
  EXPECT_EQ(std::ranges::count(answered, true), kCalls);
  EXPECT_EQ(tools_.started, 8) << "a call that was cancelled in the queue never ran";
}

TEST_F(StdioTest, CancelsCallsOfAClientThatDisconnected) {
  for (int id = 0; id < 20; ++id) call(id, "wait");
  while (tools_.running < 8) std::this_thread::yield();
  to_server_ = UniqueFd();
  from_server_ = UniqueFd();
  serving_.join();
  EXPECT_EQ(tools_.running, 0);
}

TEST_F(StdioTest, AnswersRequestsThatArrivedBeforeTheEndOfInput) {
  call(1, "slow");
  call(2, "slow");
  to_server_ = UniqueFd();
  while (tools_.running < 2) std::this_thread::yield();
  tools_.finish_slow();
  std::vector<Json> ids{*receive()->find("id"), *receive()->find("id")};
  EXPECT_EQ(ids[0].as_integer() + ids[1].as_integer(), 3);
  EXPECT_FALSE(receive());
}

TEST_F(StdioTest, AcceptsBatchesInTheProtocolVersionThatHasThem) {
  send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})");
  ASSERT_TRUE(receive());
  send(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},)"
       R"({"jsonrpc":"2.0","id":2,"method":"ping"},7])");
  const auto answers = receive();
  ASSERT_TRUE(answers && answers->is_array());
  EXPECT_EQ(answers->as_array().size(), 3U);
}

}  // namespace
}  // namespace helve::mcp
