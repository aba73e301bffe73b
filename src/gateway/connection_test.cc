// Connections to a real child process, with both protocols and with faulty servers.
#include "gateway/connection.h"

#include "base/strings.h"
#include "gateway/testing.h"

namespace helve::gateway {
namespace {

class EitherProtocol : public ConnectionTest, public ::testing::WithParamInterface<std::string> {
 protected:
  std::unique_ptr<Connection> open_era() {
    options_.offers = {.questions = true, .sampling = true};
    auto connection = open({"--protocol", GetParam()});
    EXPECT_TRUE(connection) << connection.error().message;
    return connection ? *std::move(connection) : nullptr;
  }
};
INSTANTIATE_TEST_SUITE_P(Eras, EitherProtocol, ::testing::Values("old", "modern"),
                         [](const auto& protocol) { return protocol.param; });

TEST_P(EitherProtocol, IsRecognised) {
  const auto connection = open_era();
  EXPECT_EQ(connection->facts().protocol(),
            GetParam() == "old" ? rpc::Protocol::kSessionBased : rpc::Protocol::kStateless);
  EXPECT_EQ(connection->facts().name, "fake");
}

TEST_P(EitherProtocol, ListsAndCallsTools) {
  const auto connection = open_era();
  const auto list = connection->list_tools(soon());
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_FALSE(list->tools.empty());
  EXPECT_EQ(list->tools.front().name, "echo");
  EXPECT_EQ(list->tools.front().title, "Echo");
  EXPECT_EQ(list->tools.front().read_only, true);
  EXPECT_EQ(text_of(connection->call_tool(list->tools.front(), JsonObject{{"text", "häh\n"}}, soon())),
            "häh\n");
}

TEST_P(EitherProtocol, AsksTheUserForTheServer) {
  const auto connection = open_era();
  ScriptedAsker asker({.kind = Reply::Kind::kAnswered, .form = JsonObject{{"name", "Ada"}}});
  Terms terms = soon();
  terms.caller = std::make_shared<Caller>(Caller{.call_id = "call_1", .asker = &asker});
  const std::string answer = text_of(connection->call_tool(tool("ask"), JsonObject(), terms));
  EXPECT_THAT(answer, ::testing::HasSubstr(R"({"action":"accept","content":{"name":"Ada","size":7}})"));
  ASSERT_EQ(asker.questions.size(), 1U);
  EXPECT_EQ(asker.questions[0].server, "fake");
  EXPECT_EQ(asker.questions[0].text, "Who?");
  EXPECT_EQ(asker.questions[0].call_id, "call_1");
}

TEST_P(EitherProtocol, ReportsThatTheUserDeclinedOrIsMissing) {
  const auto connection = open_era();
  ScriptedAsker asker({.kind = Reply::Kind::kDeclined});
  Terms terms = soon();
  terms.caller = std::make_shared<Caller>(Caller{.asker = &asker});
  EXPECT_THAT(text_of(connection->call_tool(tool("ask"), JsonObject(), terms)),
              ::testing::HasSubstr(R"("decline")"));
  EXPECT_THAT(text_of(connection->call_tool(tool("ask"), JsonObject(), soon())),
              ::testing::HasSubstr(R"("cancel")"));
}

TEST_P(EitherProtocol, SamplesAndListsItsRoots) {
  const auto connection = open_era();
  ScriptedSampler sampler;
  Terms terms = soon();
  terms.caller = std::make_shared<Caller>(Caller{.sampler = &sampler});
  EXPECT_THAT(text_of(connection->call_tool(tool("sample"), JsonObject(), terms)),
              ::testing::HasSubstr(R"("echo":{"maxTokens":5})"));
  EXPECT_THAT(text_of(connection->call_tool(tool("roots"), JsonObject(), terms)),
              ::testing::HasSubstr(concat("file://", directory_.path())));
}

TEST_P(EitherProtocol, ForwardsProgress) {
  const auto connection = open_era();
  std::vector<double> seen;
  Terms terms = soon();
  terms.caller = std::make_shared<Caller>(
      Caller{.on_progress = [&](const Progress& progress) { seen.push_back(progress.done); }});
  EXPECT_EQ(text_of(connection->call_tool(tool("progress"), JsonObject(), terms)), "done");
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3}));
}

TEST_P(EitherProtocol, ReceivesToolChanges) {
  std::atomic<int> changes = 0;
  options_.on_tools_changed = [&] { ++changes; };
  const auto connection = open_era();
  connection->follow_changes();
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(connection->call_tool(tool("change"), JsonObject(), soon()));
    return changes > 0;
  }));
}

TEST_P(EitherProtocol, CancelsAnAbandonedRequest) {
  const auto connection = open_era();
  const auto late = connection->call_tool(tool("never"), JsonObject(), within(std::chrono::milliseconds(50)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  EXPECT_NE(text_of(connection->call_tool(tool("count"), JsonObject(), soon())), "nothing");

  std::stop_source stop;
  Terms terms = soon();
  terms.stop = stop.get_token();
  std::jthread stopper([&] { stop.request_stop(); });
  const auto stopped = connection->call_tool(tool("never"), JsonObject(), terms);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST_P(EitherProtocol, ReportsAnUnknownOutcomeIfTheServerDiesDuringACall) {
  std::atomic<bool> ended = false;
  options_.on_end = [&](const Error&) { ended = true; };
  const auto connection = open_era();
  const auto lost = connection->call_tool(tool("die"), JsonObject(), soon());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(lost.error().message, "The server ended with exit code 7.");
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
  const auto after = connection->call_tool(tool("echo"), JsonObject(), soon());
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, ErrorCode::kUnavailable);
}

TEST_F(ConnectionTest, FallsBackIfASessionBasedServerDiesOfTheProbe) {
  const std::string mark = directory_.at("starts");
  const auto connection = open({"--protocol", "old", "--dies-on-probe", "--mark", mark});
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ((*connection)->facts().protocol(), rpc::Protocol::kSessionBased);
  std::ifstream file(mark);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), 2);
}

TEST_F(ConnectionTest, FallsBackIfAServerDoesNotAnswerTheProbe) {
  options_.probe_time = std::chrono::milliseconds(100);
  const auto connection = open({"--protocol", "silent"});
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ((*connection)->facts().protocol(), rpc::Protocol::kSessionBased);
}

TEST_F(ConnectionTest, RetriesASlowStatelessServer) {
  options_.probe_time = std::chrono::milliseconds(50);
  const auto connection = open({"--protocol", "modern", "--delay", "300"});
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ((*connection)->facts().protocol(), rpc::Protocol::kStateless);
}

TEST_F(ConnectionTest, CorrectsAnOutdatedProtocol) {
  options_.protocol = rpc::Protocol::kSessionBased;
  const auto modern = open({"--protocol", "modern"});
  ASSERT_TRUE(modern) << modern.error().message;
  EXPECT_EQ((*modern)->facts().protocol(), rpc::Protocol::kStateless);
  options_.protocol = rpc::Protocol::kStateless;
  const auto old = open({"--protocol", "old"});
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ((*old)->facts().protocol(), rpc::Protocol::kSessionBased);
}

TEST_F(ConnectionTest, TimesOutOnASlowServer) {
  const auto connection = open({"--delay", "60000"}, std::chrono::milliseconds(200));
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, ErrorCode::kTimeout);
}

TEST_F(ConnectionTest, IgnoresLinesThatAreNotMessages) {
  const auto connection = open({"--greets"});
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ(text_of((*connection)->call_tool(tool("flood"), JsonObject(), soon())), "after the flood");
}

TEST_F(ConnectionTest, RefusesAMessageThatIsTooLongAndContinues) {
  longest_line_ = 100'000;
  const auto connection = open();
  ASSERT_TRUE(connection) << connection.error().message;
  const auto big = (*connection)->call_tool(tool("big"), JsonObject{{"bytes", 3'000'000}}, soon());
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error().message, "The server sent a message of more than 100,000 bytes, which is too long.");
  EXPECT_EQ(text_of((*connection)->call_tool(tool("echo"), JsonObject{{"text", "still here"}}, soon())),
            "still here");
}

TEST_F(ConnectionTest, ReadsAListInPages) {
  const auto connection = open({"--pages"});
  ASSERT_TRUE(connection) << connection.error().message;
  const auto list = (*connection)->list_tools(soon());
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->tools.size(), 19U);
}

TEST_F(ConnectionTest, KeepsTheStderrOfTheServer) {
  const auto connection = open();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_TRUE(eventually([&] { return (*connection)->stderr_tail() == "fake server is up\n"; }));
}

TEST_F(ConnectionTest, LeavesNoProcessBehind) {
  const std::string mark = directory_.at("starts");
  auto connection = open({"--stays", "--mark", mark});
  ASSERT_TRUE(connection) << connection.error().message;
  const pid_t child = std::stoi(text_of((*connection)->call_tool(tool("child"), JsonObject(), soon())));
  pid_t server = 0;
  std::ifstream(mark) >> server;
  ASSERT_TRUE(is_alive(server));
  ASSERT_TRUE(is_alive(child));
  connection->reset();
  EXPECT_FALSE(is_alive(server));
  EXPECT_FALSE(is_alive(child));
}

TEST_F(ConnectionTest, MatchesAnswersToConcurrentRequests) {
  const auto connection = open();
  ASSERT_TRUE(connection) << connection.error().message;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i)
      threads.emplace_back([&, i] {
        for (int k = 0; k < 50; ++k) {
          const std::string text = concat(i, "/", k);
          if (text_of((*connection)->call_tool(tool("echo"), JsonObject{{"text", text}}, soon())) == text)
            ++right;
        }
      });
  }
  EXPECT_EQ(right, 800);
}

TEST_F(ConnectionTest, ReportsWhyAServerCannotStart) {
  ServerConfig config = fake_server();
  config.settings.command = "no-such-program-anywhere";
  const auto missing = process_start(config, directory_.path(), "/proc/self/exe");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "The MCP server fake cannot be started: there is no program no-such-program-anywhere in PATH.");
  config.settings.command = "/no/such/program";
  auto start = process_start(config, directory_.path(), "/proc/self/exe");
  ASSERT_TRUE(start);
  const auto process = ServerProcess::start(*std::move(start), {});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace helve::gateway
