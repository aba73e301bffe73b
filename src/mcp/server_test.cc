#include "mcp/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Protocol;
using testing::code_of;
using testing::RecordingResponder;
using testing::request;
using testing::stateless;
using testing::TestTools;
using testing::text_of;

class McpServerTest : public ::testing::Test {
 public:
  ~McpServerTest() override { tools_.finish_slow(); }
  std::shared_ptr<RecordingResponder> serve(Protocol protocol, rpc::Request asked) {
    auto responder = std::make_shared<RecordingResponder>();
    server_.serve(client_, protocol, std::move(asked), responder);
    return responder;
  }
  // Serves on another thread, for calls that wait.
  std::shared_ptr<RecordingResponder> start(Protocol protocol, rpc::Request asked) {
    auto responder = std::make_shared<RecordingResponder>();
    threads_.emplace_back([this, protocol, asked = std::move(asked), responder]() mutable {
      server_.serve(client_, protocol, std::move(asked), responder);
    });
    return responder;
  }
  static Json calling(std::string name, Json arguments = JsonObject()) {
    return JsonObject{{"name", std::move(name)}, {"arguments", std::move(arguments)}};
  }
  void initialize(std::string revision) {
    const auto said = serve(Protocol::kSessionBased,
                            request(0, "initialize",
                                    JsonObject{{"protocolVersion", std::move(revision)},
                                               {"capabilities", JsonObject{{"elicitation", JsonObject()}}}}));
    ASSERT_NE(said->answered().find("result"), nullptr);
  }

  TestTools tools_;
  Server server_{{.version = "1",
                  .page = 3,
                  .input_timeout = std::chrono::milliseconds(20'000),
                  .long_call = std::chrono::milliseconds(10)},
                 {.tools = &tools_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::vector<std::jthread> threads_;
};

TEST_F(McpServerTest, AgreesOnTheRequestedVersionOrTheNewestSessionBasedOne) {
  for (const auto& [asked, agreed] :
       std::vector<std::pair<std::string, std::string>>{{"2024-11-05", "2024-11-05"},
                                                        {"2025-06-18", "2025-06-18"},
                                                        {"1999-01-01", "2025-11-25"},
                                                        {"2026-07-28", "2025-11-25"}}) {
    const Json answer =
        serve(Protocol::kSessionBased, request(1, "initialize", JsonObject{{"protocolVersion", asked}}))
            ->answered();
    EXPECT_EQ(answer.find("result")->find("protocolVersion")->as_string(), agreed) << asked;
  }
}

TEST_F(McpServerTest, EachProtocolHasItsOwnMethods) {
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(1, "ping", stateless()))->answered()),
            rpc::kMethodNotFound);
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(1, "server/discover"))->answered()),
            rpc::kMethodNotFound);
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(1, "ping"))->answered()), 0);
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(1, "server/discover", stateless()))->answered()), 0);
}

TEST_F(McpServerTest, AStatelessRequestMustCarryItsMetadata) {
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(1, "tools/list", JsonObject()))->answered()),
            rpc::kInvalidParams);
  Json other = stateless();
  other["_meta"][rpc::kMetaRevision] = "2027-01-01";
  const Json refused = serve(Protocol::kStateless, request(1, "tools/list", other))->answered();
  EXPECT_EQ(code_of(refused), rpc::kUnsupportedRevision);
  EXPECT_EQ(*refused.find("error")->find("data")->find("requested"), Json("2027-01-01"));
  const Json listed = serve(Protocol::kStateless, request(1, "tools/list", stateless()))->answered();
  EXPECT_EQ(*listed.find("result")->find("resultType"), Json("complete"));
  EXPECT_NE(listed.find("result")->find("ttlMs"), nullptr);
}

TEST_F(McpServerTest, ListsInPagesAndRefusesUnknownCursors) {
  const Json first = *serve(Protocol::kSessionBased, request(1, "tools/list"))->answered().find("result");
  EXPECT_EQ(first.find("tools")->as_array().size(), 3U);
  const Json second = *serve(Protocol::kSessionBased,
                             request(2, "tools/list", JsonObject{{"cursor", *first.find("nextCursor")}}))
                           ->answered()
                           .find("result");
  EXPECT_EQ(second.find("tools")->as_array().size(), 1U);
  EXPECT_EQ(second.find("nextCursor"), nullptr);
  for (const Json& cursor : {Json("zzz"), Json(3), Json("OTk5OTk=")})
    EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(3, "tools/list", JsonObject{{"cursor", cursor}}))
                          ->answered()),
              rpc::kInvalidParams);
}

TEST_F(McpServerTest, ArgumentsAreOptionalButMustBeAnObject) {
  EXPECT_EQ(
      text_of(
          serve(Protocol::kSessionBased, request(1, "tools/call", JsonObject{{"name", "echo"}}))->answered()),
      "{}");
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased,
                          request(1, "tools/call", JsonObject{{"name", "echo"}, {"arguments", JsonArray()}}))
                        ->answered()),
            rpc::kInvalidParams);
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(1, "tools/call"))->answered()),
            rpc::kInvalidParams);
}

TEST_F(McpServerTest, CancellingStopsOnlyThatCall) {
  const auto waiting = start(Protocol::kSessionBased, request(7, "tools/call", calling("wait")));
  while (tools_.running == 0) std::this_thread::yield();
  server_.handle(client_, {"notifications/cancelled", JsonObject{{"requestId", 8}}});  // another one
  EXPECT_EQ(text_of(serve(Protocol::kSessionBased, request(9, "tools/call", calling("echo")))->answered()),
            "{}");
  EXPECT_EQ(tools_.running, 1);
  server_.handle(client_, {"notifications/cancelled", JsonObject{{"requestId", 7}}});
  EXPECT_EQ(text_of(waiting->answered()), "stopped");
  server_.handle(client_,
                 {"notifications/cancelled", JsonObject{{"requestId", 7}}});  // after its end: nothing
}

TEST_F(McpServerTest, RefusesAnIdThatIsInUse) {
  const auto waiting = start(Protocol::kSessionBased, request("a", "tools/call", calling("wait")));
  while (tools_.running == 0) std::this_thread::yield();
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request("a", "ping"))->answered()), rpc::kInvalidRequest);
  client_->cancel_all();
  EXPECT_EQ(text_of(waiting->answered()), "stopped");
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request("a", "ping"))->answered()), 0);
}

TEST_F(McpServerTest, SessionBasedClientsAreAskedDirectly) {
  initialize("2025-06-18");
  const auto asking = start(Protocol::kSessionBased, request(1, "tools/call", calling("ask")));
  const Json question = asking->sent();
  EXPECT_EQ(question.find("method")->as_string(), "elicitation/create");
  client_->take_response({.id = 99, .result = JsonObject()});  // an unknown id
  client_->take_response({.id = *question.find("id"), .result = JsonObject{{"action", "accept"}}});
  EXPECT_EQ(text_of(asking->answered()), R"({"action":"accept"})");
}

TEST_F(McpServerTest, DoesNotAskAClientWithoutTheCapability) {
  const Json answer =
      serve(Protocol::kStateless, request(1, "tools/call", stateless(calling("ask"), JsonObject())))
          ->answered();
  EXPECT_THAT(to_text(answer), ::testing::HasSubstr("does not support elicitation/create"));
}

TEST_F(McpServerTest, StatelessClientsRepeatTheRequestWithTheAnswer) {
  const auto first = start(Protocol::kStateless, request(1, "tools/call", stateless(calling("ask"))));
  const Json required = *first->answered().find("result");
  EXPECT_EQ(*required.find("resultType"), Json("input_required"));
  EXPECT_NE(required.find("inputRequests")->find("name"), nullptr);

  Json again = stateless(calling("ask"));
  again["requestState"] = *required.find("requestState");
  again["inputResponses"] = JsonObject{{"name", JsonObject{{"action", "accept"}}}};
  Json other = again;
  other["arguments"] = JsonObject{{"changed", true}};
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(2, "tools/call", other))->answered()),
            rpc::kInvalidParams);
  Json tampered = again;
  tampered["requestState"] = concat(required.find("requestState")->as_string(), "0");
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(3, "tools/call", tampered))->answered()),
            rpc::kInvalidParams);

  const Json done = serve(Protocol::kStateless, request(4, "tools/call", again))->answered();
  EXPECT_EQ(text_of(done), R"({"action":"accept"})");
  EXPECT_EQ(*done.find("id"), Json(4));
  EXPECT_EQ(code_of(serve(Protocol::kStateless, request(5, "tools/call", again))->answered()),
            rpc::kInvalidParams)
      << "a state can be used once";
}

TEST_F(McpServerTest, TheLastProgressOfACallIsSentBeforeItsAnswer) {
  initialize("2025-11-25");
  Json call = calling("report");
  call["_meta"][rpc::kProgressToken] = "a";
  const auto said = serve(Protocol::kSessionBased, request(1, "tools/call", call));
  EXPECT_EQ(text_of(said->answered()), "reported");
  ASSERT_GT(said->sent_now(), 0U);
  const Json last = said->sent(said->sent_now() - 1);
  EXPECT_EQ(to_text(*last.find("params")), R"({"progressToken":"a","progress":3})");
}

TEST_F(McpServerTest, ProgressAfterAnAnswerHasTheTokenOfTheRepeatedRequest) {
  Json call = stateless(calling("report", JsonObject{{"asks", true}}));
  call["_meta"][rpc::kProgressToken] = "first";
  const auto first = start(Protocol::kStateless, request(1, "tools/call", call));
  const Json required = *first->answered().find("result");
  call["_meta"][rpc::kProgressToken] = "second";
  call["requestState"] = *required.find("requestState");
  call["inputResponses"] = JsonObject{{"name", JsonObject{{"action", "accept"}}}};
  const auto second = serve(Protocol::kStateless, request(2, "tools/call", call));
  EXPECT_EQ(text_of(second->answered()), R"({"action":"accept"})");
  EXPECT_EQ(*first->sent().find("params")->find("progressToken"), Json("first"));
  const Json last = second->sent(second->sent_now() - 1);
  EXPECT_EQ(to_text(*last.find("params")), R"({"progressToken":"second","progress":4})");
}

TEST_F(McpServerTest, ASlowCallBecomesATaskIfTheClientSupportsTasks) {
  const Json knowing =
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}};
  const auto called =
      start(Protocol::kStateless, request(1, "tools/call", stateless(calling("slow"), knowing)));
  const auto waiting = start(Protocol::kStateless, request(3, "tools/call", stateless(calling("slow"))));
  const Json task = *called->answered().find("result");
  const auto status = [&] {
    return *serve(Protocol::kStateless,
                  request(2, "tasks/get", stateless(JsonObject{{"taskId", *task.find("taskId")}}, knowing)))
                ->answered()
                .find("result");
  };
  EXPECT_EQ(*task.find("resultType"), Json("task")) << to_text(task);
  EXPECT_EQ(*status().find("status"), Json("working"));
  tools_.finish_slow();
  Json ended;
  do ended = status();
  while (*ended.find("status") == Json("working"));
  EXPECT_EQ(*ended.find("status"), Json("completed"));
  EXPECT_THAT(to_text(ended), ::testing::HasSubstr("slept"));
  EXPECT_EQ(text_of(waiting->answered()), "slept") << "other clients wait";
}

TEST_F(McpServerTest, ACallThatEndsJustAsItBecomesATaskIsAnsweredOnce) {
  const Json knowing =
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}};
  SuspendedRequests suspended{std::chrono::seconds(1)};
  TaskTable tasks;
  for (int i = 0; i < 2'000; ++i) {
    const auto responder = std::make_shared<RecordingResponder>();
    const auto info = std::make_shared<const ClientInfo>(
        ClientInfo{.revision = std::string(rpc::kStatelessRevision), .capabilities = knowing});
    const auto call = std::make_shared<ActiveRequest>(ActiveRequest::Parts{
        suspended, tasks, client_, info, request(i, "tools/call"), responder, std::stop_source()});
    std::atomic<bool> started = false;
    std::jthread watch([&] {
      started = true;
      call->become_task();
    });
    while (!started) std::this_thread::yield();
    call->finish(TestTools::text("done"));
    watch.join();
    ASSERT_EQ(responder->answered_now(), 1U) << "round " << i;
  }
}

TEST_F(McpServerTest, ARepeatedRequestCanBeCancelledByItsNewId) {
  const auto first = start(Protocol::kStateless, request(1, "tools/call", stateless(calling("ask"))));
  Json again = stateless(calling("ask"));
  again["requestState"] = *first->answered().find("result")->find("requestState");
  again["inputResponses"] = JsonObject{{"another", JsonObject{{"action", "accept"}}}};
  const auto returned = std::make_shared<Client>();
  const auto second = std::make_shared<RecordingResponder>();
  server_.serve(returned, Protocol::kStateless, request(2, "tools/call", again), second);
  const Json required = *second->answered().find("result");
  ASSERT_EQ(*required.find("resultType"), Json("input_required"));
  server_.handle(returned, {"notifications/cancelled", JsonObject{{"requestId", 2}}});
  EXPECT_EQ(tools_.running, 1) << "that request is already answered";

  again["requestState"] = *required.find("requestState");
  const auto third = std::make_shared<RecordingResponder>();
  returned->add_queued(3);
  server_.handle(returned, {"notifications/cancelled", JsonObject{{"requestId", 3}}});
  server_.serve(returned, Protocol::kStateless, request(3, "tools/call", again), third);
  EXPECT_THAT(to_text(third->answered()), ::testing::HasSubstr("The request has ended."));
  while (tools_.running != 0) std::this_thread::yield();
}

TEST_F(McpServerTest, ARefusedRequestFreesItsId) {
  client_->add_queued(1);
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(1, "no/method"))->answered()),
            rpc::kMethodNotFound);
  server_.handle(client_, {"notifications/cancelled", JsonObject{{"requestId", 1}}});
  EXPECT_EQ(code_of(serve(Protocol::kSessionBased, request(1, "ping"))->answered()), 0)
      << "the earlier cancellation has no effect";
}

TEST_F(McpServerTest, WithdrawsAQuestionThatIsNoLongerNeeded) {
  initialize("2025-06-18");
  const auto asking = start(Protocol::kSessionBased, request(1, "tools/call", calling("ask")));
  const Json question = asking->sent();
  tools_.withdrawn.request_stop();
  EXPECT_THAT(to_text(asking->answered()), ::testing::HasSubstr("was cancelled"));
  EXPECT_EQ(*asking->sent(1).find("method"), Json("notifications/cancelled"));
  EXPECT_EQ(*asking->sent(1).find("params")->find("requestId"), *question.find("id"));
}

TEST_F(McpServerTest, WithdrawsAQuestionToAStatelessClient) {
  const auto first = start(Protocol::kStateless, request(1, "tools/call", stateless(calling("ask"))));
  EXPECT_EQ(*first->answered().find("result")->find("resultType"), Json("input_required"));
  tools_.withdrawn.request_stop();
  while (tools_.running != 0) std::this_thread::yield();
}

TEST_F(McpServerTest, DistinguishesATimeoutFromADisconnect) {
  initialize("2025-06-18");
  tools_.asking_deadline = std::chrono::steady_clock::now();
  const Json silent = start(Protocol::kSessionBased, request(1, "tools/call", calling("ask")))->answered();
  EXPECT_THAT(to_text(silent), ::testing::HasSubstr("did not answer elicitation/create in time"));
  tools_.asking_deadline = {};
  client_->close();
  const Json gone = start(Protocol::kSessionBased, request(2, "tools/call", calling("ask")))->answered();
  EXPECT_THAT(to_text(gone), ::testing::HasSubstr("disconnected before it answered"));
}

TEST_F(McpServerTest, StopCancelsSuspendedRequests) {
  const auto first = start(Protocol::kStateless, request(1, "tools/call", stateless(calling("ask"))));
  EXPECT_EQ(*first->answered().find("result")->find("resultType"), Json("input_required"));
  server_.stop();
  while (tools_.running != 0) std::this_thread::yield();
  const auto late = start(Protocol::kStateless, request(2, "tools/call", stateless(calling("ask"))));
  EXPECT_THAT(to_text(late->answered()), ::testing::HasSubstr("The server is stopping"));
}

TEST_F(McpServerTest, DeclaresListChangedOnlyIfChangesAreReported) {
  testing::PromptsWithoutChangeEvents prompts;
  Server server{{.version = "1"}, {.tools = &tools_, .prompts = &prompts}};
  const auto responder = std::make_shared<RecordingResponder>();
  server.serve(client_, Protocol::kSessionBased,
               request(1, "initialize", JsonObject{{"protocolVersion", "2025-06-18"}}), responder);
  const Json capabilities = *responder->answered().find("result")->find("capabilities");
  EXPECT_EQ(to_text(*capabilities.find("prompts")), "{}");
  EXPECT_EQ(to_text(*capabilities.find("tools")), R"({"listChanged":true})");
}

TEST_F(McpServerTest, NotifiesListenersOfChanges) {
  initialize("2025-06-18");
  std::vector<std::string> received;
  client_->set_outlet([&](const Json& message) { received.push_back(message.find("method")->as_string()); });
  server_.handle(client_, {"notifications/initialized", {}});
  const auto listening =
      start(Protocol::kStateless,
            request("l", "subscriptions/listen",
                    stateless(JsonObject{{"notifications", JsonObject{{"toolsListChanged", true}}}})));
  EXPECT_EQ(listening->sent().find("method")->as_string(), "notifications/subscriptions/acknowledged");
  while (listening->sent(1, std::chrono::milliseconds(20)).is_null()) (*tools_.changed)();
  EXPECT_EQ(listening->sent(1).find("method")->as_string(), "notifications/tools/list_changed");
  EXPECT_EQ(*listening->sent(1).find("params")->find("_meta")->find(rpc::kMetaSubscriptionId), Json("l"));
  EXPECT_FALSE(received.empty());
  server_.disconnect(client_);
  EXPECT_NE(listening->answered().find("result"), nullptr);
}

}  // namespace
}  // namespace helve::mcp
