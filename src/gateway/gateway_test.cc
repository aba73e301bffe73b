// Tools of other servers, called through the runtime.
#include "gateway/gateway.h"

#include "base/strings.h"
#include "core/testing.h"
#include "gateway/protocol.h"
#include "gateway/testing.h"
#include "unit/places.h"

namespace helve::gateway {
namespace {

class GatewayTest : public helve::testing::RuntimeFixture {
 protected:
  GatewayTest() { options_.settings.audit.enabled = true; }

  Gateway& start(std::vector<ServerConfig> servers) {
    gateway_.reset();
    GatewayOptions options{.servers = std::move(servers),
                           .workspace = options_.workspace,
                           .state_directory = options_.state_directory,
                           .launcher = "/proc/self/exe",
                           .offers = {.questions = true, .sampling = true}};
    gateway_ = std::make_unique<Gateway>(std::move(options), runtime().tools(), LogLevel::kError);
    gateway_->start();
    return *gateway_;
  }
  Gateway& start_and_wait(std::vector<ServerConfig> servers) {
    start(std::move(servers)).start_all(soon());
    return *gateway_;
  }
  bool has_tool(const std::string& name) { return runtime().tools().find(name).has_value(); }
  Answer call(std::string tool, Json arguments = JsonObject()) {
    return runtime().call({.tool = std::move(tool), .arguments = std::move(arguments)});
  }
  void TearDown() override { gateway_.reset(); }

  std::unique_ptr<Gateway> gateway_;
};

TEST_F(GatewayTest, OffersToolsUnderTheServersName) {
  start_and_wait({fake_server()});
  const auto tool = runtime().tools().find("mcp__fake__echo");
  ASSERT_TRUE(tool) << tool.error().message;
  EXPECT_EQ((*tool)->definition.title, "Echo");
  EXPECT_EQ((*tool)->definition.server, "fake");
  EXPECT_EQ((*tool)->definition.effect, Effect::kNetwork);
  const Answer answer = call("mcp__fake__echo", JsonObject{{"text", "hello"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, "hello");
  EXPECT_EQ(answer.result->summary, "hello");
}

TEST_F(GatewayTest, ValidatesWithTheServersSchema) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__echo", JsonObject{{"text", 5}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(GatewayTest, ValidatesWithAllKeywordsOfTheServersSchema) {
  start_and_wait({fake_server()});
  const auto problem = [&](JsonObject arguments) {
    const Answer answer = call("mcp__fake__shot", std::move(arguments));
    return answer.ok() ? answer.result->content : answer.result.error().message;
  };
  EXPECT_EQ(problem({{"scale", "device"}, {"area", JsonArray{1, 2, 3}}}),
            "mcp__fake__shot: 1 problem with the arguments\n"
            "- area must have at least 4 elements, but has 3");
  EXPECT_EQ(problem({{"scale", "device"}, {"area", true}}),
            "mcp__fake__shot: 1 problem with the arguments\n"
            "- area must be a string or an array, but is true");
  EXPECT_EQ(problem({{"scale", "device"}, {"other", 1}}),
            "mcp__fake__shot: 1 problem with the arguments\n- other is not a known parameter; remove it");
}

TEST_F(GatewayTest, FillsInTheDefaultOfARequiredParameter) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__shot");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, R"({"scale":"css"})");
}

TEST_F(GatewayTest, AsksForPermissionUnlessTheAnnotationsAreTrusted) {
  options_.settings.mode = Mode::kPlan;
  ServerConfig trusted = fake_server({}, "trusted");
  trusted.settings.trust_annotations = true;
  start_and_wait({fake_server(), trusted});
  EXPECT_EQ(call("mcp__fake__echo", JsonObject{{"text", "x"}}).result.error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_TRUE(call("mcp__trusted__echo", JsonObject{{"text", "x"}}).ok());
  EXPECT_EQ(call("mcp__trusted__fail").result.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(GatewayTest, FollowsPermissionRulesForServersAndTools) {
  options_.settings.permissions.deny = {"mcp__fake__echo"};
  start_and_wait({fake_server()});
  EXPECT_EQ(call("mcp__fake__echo", JsonObject{{"text", "x"}}).result.error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_TRUE(call("mcp__fake__rich").ok());
}

TEST_F(GatewayTest, ReadsAllKindsOfContent) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__rich");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->content, "words\n[a](file:///a)\n<resource uri=\"x://y\">\ninside\n</resource>");
  ASSERT_EQ(answer.result->images.size(), 1U);
  EXPECT_EQ(answer.result->images[0].bytes, "hello");
  EXPECT_EQ(answer.result->data, Json(JsonObject{{"answer", 42}}));
}

// MCP clients get the results as the server sent them.
TEST_F(GatewayTest, KeepsContentAsItWasSent) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__parts");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  const Json& sent = answer.result->foreign;
  std::string kinds;
  for (const Json& part : sent.find("content")->as_array()) kinds += concat(text_member(part, "type"), " ");
  EXPECT_EQ(kinds, "image text audio resource_link text resource ");
  EXPECT_EQ(to_text(sent.find("content")->as_array()[3]),
            R"({"type":"resource_link","uri":"fake://notes/1","name":"notes","title":"Notes",)"
            R"("icons":[{"src":"https://x.example/i.png"}],"annotations":{"priority":0.5}})");
  EXPECT_EQ(to_text(*sent.find("structuredContent")), R"({"answer":42})");
  EXPECT_EQ(to_text(*sent.find("_meta")), R"({"x.example/b":[true]})");
  const Answer failed = call("mcp__fake__partsfail");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(*failed.result.error().details.find("result"), sent);
}

TEST_F(GatewayTest, KeepsWhatTheServerSaysAboutItsTool) {
  start_and_wait({fake_server()});
  const ToolDefinition& tool = (*runtime().tools().find("mcp__fake__parts"))->definition;
  EXPECT_EQ(tool.title, "All parts");
  EXPECT_EQ(to_text(tool.foreign_extras),
            R"({"annotations":{"title":"All parts","readOnlyHint":true,"openWorldHint":false},)"
            R"("icons":[{"src":"https://x.example/tool.png"}],"_meta":{"x.example/c":"d"}})");
  EXPECT_EQ(to_text(tool.output_schema), R"({"type":"object","properties":{"answer":{"type":"integer"}}})");
}

TEST_F(GatewayTest, PassesTheTraceContextOn) {
  start_and_wait({fake_server()});
  const Answer answer = runtime().call(
      {.tool = "mcp__fake__state", .trace = JsonObject{{"traceparent", "00-1-2-01"}, {"baggage", "a=b"}}});
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr(R"("traceparent":"00-1-2-01","baggage":"a=b")"));
}

TEST_F(GatewayTest, ACallRightAfterTheStartWaitsForItsServer) {
  start({fake_server({"--delay", "300"}), fake_server({"--delay", "100000"}, "slow")});
  const Answer answer = call("mcp__fake__echo", JsonObject{{"text", "early"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, "early");
  const Answer unknown = call("mcp__fake__nothing");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.result.error().code, ErrorCode::kUnknownTool);
}

TEST_F(GatewayTest, ACallThatWaitsEndsWithItsServer) {
  start({fake_server({"--delay", "100000"})});
  std::jthread closer([&] { gateway_.reset(); });
  EXPECT_EQ(call("mcp__fake__echo", JsonObject{{"text", "x"}}).result.error().code, ErrorCode::kUnknownTool);
}

TEST_F(GatewayTest, ReplacesItsServersWhileItRuns) {
  const std::string mark = directory_.at("starts");
  Gateway& gateway = start_and_wait({fake_server({"--mark", mark}, "kept"), fake_server({}, "changed")});
  ServerConfig changed = fake_server({}, "changed");
  changed.settings.tools = {"echo"};
  gateway.set_servers({fake_server({"--mark", mark}, "kept"), changed, fake_server({}, "added")});
  EXPECT_TRUE(call("mcp__added__echo", JsonObject{{"text", "x"}}).ok());
  EXPECT_TRUE(call("mcp__changed__echo", JsonObject{{"text", "x"}}).ok());
  EXPECT_FALSE(has_tool("mcp__changed__fail"));
  EXPECT_TRUE(call("mcp__kept__echo", JsonObject{{"text", "x"}}).ok());
  EXPECT_EQ(std::ranges::count(directory_.read("starts"), '\n'), 1);
  gateway.set_servers({});
  EXPECT_TRUE(runtime().tools().names().empty());
}

TEST_F(GatewayTest, AToolErrorIsAFailedCall) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__fail");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kExecutionFailed);
  EXPECT_EQ(answer.result.error().message, "it went wrong");
}

TEST_F(GatewayTest, OffloadsLongResults) {
  start_and_wait({fake_server()});
  const Answer answer = call("mcp__fake__big", JsonObject{{"bytes", 300'000}});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer.result->truncated);
  EXPECT_LT(answer.result->content.size(), 60'000U);
}

TEST_F(GatewayTest, EventsAndAuditNameTheServer) {
  start_and_wait({fake_server()});
  static_cast<void>(call("mcp__fake__echo", JsonObject{{"text", "x"}}));
  bool found = false;
  for (const auto& event : runtime().default_session().events().after(0).events)
    found = found || to_text(event->to_json()).find(R"("tool_call_server_name":"fake")") != std::string::npos;
  EXPECT_TRUE(found);
  EXPECT_THAT(directory_.read("state/audit.jsonl"), ::testing::HasSubstr("mcp__fake__echo"));
}

TEST_F(GatewayTest, QuestionsOfTheServerReachTheSession) {
  auto asker = std::make_shared<ScriptedAsker>(
      Reply{.kind = Reply::Kind::kAnswered, .form = JsonObject{{"name", "Ada"}}});
  options_.asker = asker;
  start_and_wait(
      {fake_server({"--protocol", "old"}, "old"), fake_server({"--protocol", "modern"}, "modern")});
  for (const std::string server : {"old", "modern"}) {
    const Answer answer = call(concat("mcp__", server, "__ask"));
    ASSERT_TRUE(answer.ok()) << answer.result.error().message;
    EXPECT_THAT(answer.result->content, ::testing::HasSubstr("Ada"));
  }
  ASSERT_EQ(asker->questions.size(), 2U);
  EXPECT_EQ(asker->questions[0].server, "old");
}

TEST_F(GatewayTest, FollowsTheServersToolList) {
  start_and_wait({fake_server({"--protocol", "old"})});
  EXPECT_FALSE(has_tool("mcp__fake__extra"));
  EXPECT_TRUE(call("mcp__fake__change").ok());
  EXPECT_TRUE(eventually([&] { return has_tool("mcp__fake__extra"); }));
  EXPECT_TRUE(call("mcp__fake__change").ok());
  EXPECT_TRUE(eventually([&] { return !has_tool("mcp__fake__extra"); }));
  gateway_.reset();
  EXPECT_FALSE(has_tool("mcp__fake__echo"));
}

TEST_F(GatewayTest, OffersOnlyToolsThatTheSettingsInclude) {
  ServerConfig config = fake_server();
  config.settings.tools = {"*", "-ask", "-s*"};
  start_and_wait({config});
  EXPECT_TRUE(has_tool("mcp__fake__echo"));
  EXPECT_FALSE(has_tool("mcp__fake__ask"));
  EXPECT_FALSE(has_tool("mcp__fake__sample"));
}

TEST_F(GatewayTest, ADeadOrSlowServerDoesNotDelayTheOthers) {
  ServerConfig missing = fake_server({}, "missing");
  missing.settings.command = "/no/such/program";
  ServerConfig slow = fake_server({"--delay", "100000"}, "slow");
  slow.settings.start_ms = 60'000;
  ServerConfig wrong;
  wrong.name = "wrong";
  Gateway& gateway = start({missing, slow, fake_server(), wrong});
  EXPECT_TRUE(eventually([&] { return has_tool("mcp__fake__echo"); }));
  ASSERT_EQ(gateway.problems().size(), 1U);
  EXPECT_EQ(gateway.problems()[0].server, "wrong");
  EXPECT_THAT(gateway.problems()[0].error.message,
              ::testing::HasSubstr("mcp_servers.wrong has neither a command nor a url"));
  EXPECT_TRUE(eventually([&] {
    return std::ranges::any_of(gateway.status(), [](const ServerStatus& status) {
      return status.name == "missing" && status.state == ServerStatus::State::kFailed;
    });
  }));
}

TEST_F(GatewayTest, RestartsAServerThatDied) {
  const std::string mark = directory_.at("starts");
  start_and_wait({fake_server({"--mark", mark})});
  const Answer lost = call("mcp__fake__die");
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.result.error().code, ErrorCode::kOutcomeUnknown);
  const Answer again = call("mcp__fake__echo", JsonObject{{"text", "back"}});
  ASSERT_TRUE(again.ok()) << again.result.error().message;
  EXPECT_EQ(again.result->content, "back");
  EXPECT_EQ(std::ranges::count(directory_.read("starts"), '\n'), 2);
}

TEST_F(GatewayTest, OffersCachedToolsBeforeTheServerStarts) {
  const std::string mark = directory_.at("starts");
  start_and_wait({fake_server({"--mark", mark})});
  gateway_.reset();
  EXPECT_FALSE(has_tool("mcp__fake__echo"));
  start({fake_server({"--mark", mark})});
  EXPECT_TRUE(has_tool("mcp__fake__echo"));
  EXPECT_EQ(std::ranges::count(directory_.read("starts"), '\n'), 1);
  EXPECT_TRUE(call("mcp__fake__echo", JsonObject{{"text", "x"}}).ok());
  EXPECT_EQ(std::ranges::count(directory_.read("starts"), '\n'), 2);
}

TEST_F(GatewayTest, ACallReportsWhyTheServerIsUnavailable) {
  const std::string program = directory_.at("server");
  std::filesystem::create_symlink(places::kFakeServer, program);
  ServerConfig config = fake_server();
  config.settings.command = program;
  start_and_wait({config});
  gateway_.reset();
  std::filesystem::remove(program);
  start({config});
  const Answer answer = call("mcp__fake__echo", JsonObject{{"text", "x"}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.result.error().message,
            concat("The MCP server fake is not available: There is no program ", program,
                   " where the command runs."));
}

TEST_F(GatewayTest, AServerThatTakesTooLongToStartHasFailed) {
  ServerConfig config = fake_server({"--delay", "100000"});
  config.settings.start_ms = 100;
  start_and_wait({config});
  EXPECT_EQ(gateway_->status().at(0).problem, "The server did not answer in time.");
}

TEST_F(GatewayTest, CancellingACallReturnsAtOnce) {
  start_and_wait({fake_server()});
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const Answer answer = runtime().call({.tool = "mcp__fake__never", .stop = stop.get_token()});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kCancelled);
}

TEST_F(GatewayTest, EnforcesTheTimeLimit) {
  ServerConfig config = fake_server();
  config.settings.time_limit_ms = 50;
  start_and_wait({config});
  const Answer answer = call("mcp__fake__never");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kTimeout);
}

TEST_F(GatewayTest, ProgressReachesTheCaller) {
  start_and_wait({fake_server()});
  std::vector<double> seen;
  const Answer answer =
      runtime().call({.tool = "mcp__fake__progress",
                      .on_progress = [&](const Progress& progress) { seen.push_back(progress.done); }});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(seen.empty());
}

}  // namespace
}  // namespace helve::gateway
