#include "mcp/server.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Era;
using testing::code_of;
using testing::modern;
using testing::Remembering;
using testing::request;
using testing::SmallOffer;
using testing::text_of;

class ServerTest : public ::testing::Test {
 public:
  ~ServerTest() override { tools_.let_go(); }
  std::shared_ptr<Remembering> serve(Era era, rpc::Request asked) {
    auto responder = std::make_shared<Remembering>();
    server_.serve(client_, era, std::move(asked), responder);
    return responder;
  }
  // On a thread of its own, for calls that wait.
  std::shared_ptr<Remembering> start(Era era, rpc::Request asked) {
    auto responder = std::make_shared<Remembering>();
    threads_.emplace_back([this, era, asked = std::move(asked), responder]() mutable {
      server_.serve(client_, era, std::move(asked), responder);
    });
    return responder;
  }
  static Json calling(std::string name, Json arguments = JsonObject()) {
    return JsonObject{{"name", std::move(name)}, {"arguments", std::move(arguments)}};
  }
  void initialize(std::string revision) {
    const auto said =
        serve(Era::kOld, request(0, "initialize",
                                 JsonObject{{"protocolVersion", std::move(revision)},
                                            {"capabilities", JsonObject{{"elicitation", JsonObject()}}}}));
    ASSERT_NE(said->answered().find("result"), nullptr);
  }

  SmallOffer tools_;
  Server server_{{.version = "1",
                  .page = 3,
                  .patience = std::chrono::milliseconds(20'000),
                  .long_call = std::chrono::milliseconds(10)},
                 {.tools = &tools_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::vector<std::jthread> threads_;
};

TEST_F(ServerTest, SpeaksTheRevisionThatTheClientAsksForOrItsNewestOldOne) {
  for (const auto& [asked, spoken] :
       std::vector<std::pair<std::string, std::string>>{{"2024-11-05", "2024-11-05"},
                                                        {"2025-06-18", "2025-06-18"},
                                                        {"1999-01-01", "2025-11-25"},
                                                        {"2026-07-28", "2025-11-25"}}) {
    const Json answer =
        serve(Era::kOld, request(1, "initialize", JsonObject{{"protocolVersion", asked}}))->answered();
    EXPECT_EQ(answer.find("result")->find("protocolVersion")->as_string(), spoken) << asked;
  }
}

TEST_F(ServerTest, EachEraHasMethodsThatTheOtherDoesNot) {
  EXPECT_EQ(code_of(serve(Era::kModern, request(1, "ping", modern()))->answered()), rpc::kMethodNotFound);
  EXPECT_EQ(code_of(serve(Era::kOld, request(1, "server/discover"))->answered()), rpc::kMethodNotFound);
  EXPECT_EQ(code_of(serve(Era::kOld, request(1, "ping"))->answered()), 0);
  EXPECT_EQ(code_of(serve(Era::kModern, request(1, "server/discover", modern()))->answered()), 0);
}

TEST_F(ServerTest, AModernRequestSaysEverythingItself) {
  EXPECT_EQ(code_of(serve(Era::kModern, request(1, "tools/list", JsonObject()))->answered()),
            rpc::kInvalidParams);
  Json other = modern();
  other["_meta"][rpc::kMetaRevision] = "2027-01-01";
  const Json refused = serve(Era::kModern, request(1, "tools/list", other))->answered();
  EXPECT_EQ(code_of(refused), rpc::kUnsupportedRevision);
  EXPECT_EQ(*refused.find("error")->find("data")->find("requested"), Json("2027-01-01"));
  const Json listed = serve(Era::kModern, request(1, "tools/list", modern()))->answered();
  EXPECT_EQ(*listed.find("result")->find("resultType"), Json("complete"));
  EXPECT_NE(listed.find("result")->find("ttlMs"), nullptr);
}

TEST_F(ServerTest, ListsComeInPagesWhoseCursorsCannotBeMadeUp) {
  const Json first = *serve(Era::kOld, request(1, "tools/list"))->answered().find("result");
  EXPECT_EQ(first.find("tools")->as_array().size(), 3U);
  const Json second =
      *serve(Era::kOld, request(2, "tools/list", JsonObject{{"cursor", *first.find("nextCursor")}}))
           ->answered()
           .find("result");
  EXPECT_EQ(second.find("tools")->as_array().size(), 1U);
  EXPECT_EQ(second.find("nextCursor"), nullptr);
  for (const Json& cursor : {Json("zzz"), Json(3), Json("OTk5OTk=")})
    EXPECT_EQ(code_of(serve(Era::kOld, request(3, "tools/list", JsonObject{{"cursor", cursor}}))->answered()),
              rpc::kInvalidParams);
}

TEST_F(ServerTest, ArgumentsMayBeLeftOutButMustBeAnObject) {
  EXPECT_EQ(text_of(serve(Era::kOld, request(1, "tools/call", JsonObject{{"name", "echo"}}))->answered()),
            "{}");
  EXPECT_EQ(code_of(serve(Era::kOld,
                          request(1, "tools/call", JsonObject{{"name", "echo"}, {"arguments", JsonArray()}}))
                        ->answered()),
            rpc::kInvalidParams);
  EXPECT_EQ(code_of(serve(Era::kOld, request(1, "tools/call"))->answered()), rpc::kInvalidParams);
}

TEST_F(ServerTest, CancellingReallyStopsTheCallAndOthersGoOn) {
  const auto waiting = start(Era::kOld, request(7, "tools/call", calling("wait")));
  while (tools_.running == 0) std::this_thread::yield();
  server_.take(client_, {"notifications/cancelled", JsonObject{{"requestId", 8}}});  // another one
  EXPECT_EQ(text_of(serve(Era::kOld, request(9, "tools/call", calling("echo")))->answered()), "{}");
  EXPECT_EQ(tools_.running, 1);
  server_.take(client_, {"notifications/cancelled", JsonObject{{"requestId", 7}}});
  EXPECT_EQ(text_of(waiting->answered()), "stopped");
  server_.take(client_, {"notifications/cancelled", JsonObject{{"requestId", 7}}});  // after its end: nothing
}

TEST_F(ServerTest, AnIdThatIsInUseIsRefused) {
  const auto waiting = start(Era::kOld, request("a", "tools/call", calling("wait")));
  while (tools_.running == 0) std::this_thread::yield();
  EXPECT_EQ(code_of(serve(Era::kOld, request("a", "ping"))->answered()), rpc::kInvalidRequest);
  client_->cancel_all();
  EXPECT_EQ(text_of(waiting->answered()), "stopped");
  EXPECT_EQ(code_of(serve(Era::kOld, request("a", "ping"))->answered()), 0);
}

TEST_F(ServerTest, InTheOldEraTheClientIsAskedAtOnce) {
  initialize("2025-06-18");
  const auto asking = start(Era::kOld, request(1, "tools/call", calling("ask")));
  const Json question = asking->sent();
  EXPECT_EQ(question.find("method")->as_string(), "elicitation/create");
  client_->take_response({.id = 99, .result = JsonObject()});  // nobody asked that
  client_->take_response({.id = *question.find("id"), .result = JsonObject{{"action", "accept"}}});
  EXPECT_EQ(text_of(asking->answered()), R"({"action":"accept"})");
}

TEST_F(ServerTest, AClientThatCannotBeAskedIsNotAsked) {
  const Json answer =
      serve(Era::kModern, request(1, "tools/call", modern(calling("ask"), JsonObject())))->answered();
  EXPECT_NE(to_text(answer).find("can be asked (elicitation/create)"), std::string::npos) << to_text(answer);
}

TEST_F(ServerTest, InTheModernEraTheClientComesBackWithTheAnswer) {
  const auto first = start(Era::kModern, request(1, "tools/call", modern(calling("ask"))));
  const Json required = *first->answered().find("result");
  EXPECT_EQ(*required.find("resultType"), Json("input_required"));
  EXPECT_NE(required.find("inputRequests")->find("name"), nullptr);

  Json again = modern(calling("ask"));
  again["requestState"] = *required.find("requestState");
  again["inputResponses"] = JsonObject{{"name", JsonObject{{"action", "accept"}}}};
  Json other = again;
  other["arguments"] = JsonObject{{"changed", true}};
  EXPECT_EQ(code_of(serve(Era::kModern, request(2, "tools/call", other))->answered()), rpc::kInvalidParams);
  Json tampered = again;
  tampered["requestState"] = concat(required.find("requestState")->as_string(), "0");
  EXPECT_EQ(code_of(serve(Era::kModern, request(3, "tools/call", tampered))->answered()),
            rpc::kInvalidParams);

  const Json done = serve(Era::kModern, request(4, "tools/call", again))->answered();
  EXPECT_EQ(text_of(done), R"({"action":"accept"})");
  EXPECT_EQ(*done.find("id"), Json(4));
  EXPECT_EQ(code_of(serve(Era::kModern, request(5, "tools/call", again))->answered()), rpc::kInvalidParams)
      << "a state is good for one return";
}

TEST_F(ServerTest, ALongCallBecomesATaskForClientsThatKnowTasks) {
  const Json knowing =
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}};
  const auto called = start(Era::kModern, request(1, "tools/call", modern(calling("slow"), knowing)));
  const auto waiting = start(Era::kModern, request(3, "tools/call", modern(calling("slow"))));
  const Json task = *called->answered().find("result");
  const auto status = [&] {
    return *serve(Era::kModern,
                  request(2, "tasks/get", modern(JsonObject{{"taskId", *task.find("taskId")}}, knowing)))
                ->answered()
                .find("result");
  };
  EXPECT_EQ(*task.find("resultType"), Json("task")) << to_text(task);
  EXPECT_EQ(*status().find("status"), Json("working"));
  tools_.let_go();
  Json ended;
  do ended = status();
  while (*ended.find("status") == Json("working"));
  EXPECT_EQ(*ended.find("status"), Json("completed"));
  EXPECT_NE(to_text(ended).find("slept"), std::string::npos);
  EXPECT_EQ(text_of(waiting->answered()), "slept") << "who does not know tasks waits";
}

TEST_F(ServerTest, ACallThatEndsJustAsItBecomesATaskIsAnsweredOnce) {
  const Json knowing =
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}};
  Parking parking{std::chrono::seconds(1)};
  TaskTable tasks;
  for (int i = 0; i < 2'000; ++i) {
    const auto responder = std::make_shared<Remembering>();
    const auto info = std::make_shared<const ClientInfo>(
        ClientInfo{.revision = std::string(rpc::kModernRevision), .capabilities = knowing});
    const auto call = std::make_shared<Call>(
        Call::Parts{parking, tasks, client_, info, request(i, "tools/call"), responder, std::stop_source()});
    std::atomic<bool> together = false;
    std::jthread long_calls([&] {
      together = true;
      call->become_task();
    });
    while (!together) std::this_thread::yield();
    call->finish(SmallOffer::text("done"));
    long_calls.join();
    ASSERT_EQ(responder->answered_now(), 1U) << "round " << i;
  }
}

TEST_F(ServerTest, WhoComesBackWithAnAnswerCanCancelTheCallByTheNewId) {
  const auto first = start(Era::kModern, request(1, "tools/call", modern(calling("ask"))));
  Json again = modern(calling("ask"));
  again["requestState"] = *first->answered().find("result")->find("requestState");
  again["inputResponses"] = JsonObject{{"another", JsonObject{{"action", "accept"}}}};
  const auto returned = std::make_shared<Client>();
  const auto second = std::make_shared<Remembering>();
  server_.serve(returned, Era::kModern, request(2, "tools/call", again), second);
  const Json required = *second->answered().find("result");
  ASSERT_EQ(*required.find("resultType"), Json("input_required"));
  server_.take(returned, {"notifications/cancelled", JsonObject{{"requestId", 2}}});
  EXPECT_EQ(tools_.running, 1) << "that request is over";

  again["requestState"] = *required.find("requestState");
  const auto third = std::make_shared<Remembering>();
  returned->announce(3);
  server_.take(returned, {"notifications/cancelled", JsonObject{{"requestId", 3}}});
  server_.serve(returned, Era::kModern, request(3, "tools/call", again), third);
  EXPECT_NE(to_text(third->answered()).find("The call has ended."), std::string::npos);
  while (tools_.running != 0) std::this_thread::yield();
}

TEST_F(ServerTest, WhatIsRefusedIsNoLongerUnderWay) {
  client_->announce(1);
  EXPECT_EQ(code_of(serve(Era::kOld, request(1, "no/method"))->answered()), rpc::kMethodNotFound);
  server_.take(client_, {"notifications/cancelled", JsonObject{{"requestId", 1}}});
  EXPECT_EQ(code_of(serve(Era::kOld, request(1, "ping"))->answered()), 0) << "of the old one nothing is left";
}

TEST_F(ServerTest, AQuestionThatNobodyNeedsAnsweredAnyMoreIsWithdrawn) {
  initialize("2025-06-18");
  const auto asking = start(Era::kOld, request(1, "tools/call", calling("ask")));
  const Json question = asking->sent();
  tools_.withdrawn.request_stop();
  EXPECT_NE(to_text(asking->answered()).find("was cancelled"), std::string::npos);
  EXPECT_EQ(*asking->sent(1).find("method"), Json("notifications/cancelled"));
  EXPECT_EQ(*asking->sent(1).find("params")->find("requestId"), *question.find("id"));
}

TEST_F(ServerTest, InTheModernEraAQuestionIsWithdrawnAsWell) {
  const auto first = start(Era::kModern, request(1, "tools/call", modern(calling("ask"))));
  EXPECT_EQ(*first->answered().find("result")->find("resultType"), Json("input_required"));
  tools_.withdrawn.request_stop();
  while (tools_.running != 0) std::this_thread::yield();
}

TEST_F(ServerTest, SaysWhetherTheClientWasSilentOrHasGone) {
  initialize("2025-06-18");
  tools_.asking_deadline = std::chrono::steady_clock::now();
  const Json silent = start(Era::kOld, request(1, "tools/call", calling("ask")))->answered();
  EXPECT_NE(to_text(silent).find("did not answer elicitation/create in time"), std::string::npos)
      << to_text(silent);
  tools_.asking_deadline = {};
  client_->close();
  const Json gone = start(Era::kOld, request(2, "tools/call", calling("ask")))->answered();
  EXPECT_NE(to_text(gone).find("has gone without an answer"), std::string::npos) << to_text(gone);
}

TEST_F(ServerTest, AtTheEndNothingWaitsForAClientToComeBack) {
  const auto first = start(Era::kModern, request(1, "tools/call", modern(calling("ask"))));
  EXPECT_EQ(*first->answered().find("result")->find("resultType"), Json("input_required"));
  server_.stop();
  while (tools_.running != 0) std::this_thread::yield();
  const auto late = start(Era::kModern, request(2, "tools/call", modern(calling("ask"))));
  EXPECT_NE(to_text(late->answered()).find("The server ends"), std::string::npos);
}

TEST_F(ServerTest, PromisesNoNewsThatNobodyCanTell) {
  testing::StillPrompts prompts;
  Server server{{.version = "1"}, {.tools = &tools_, .prompts = &prompts}};
  const auto responder = std::make_shared<Remembering>();
  server.serve(client_, Era::kOld, request(1, "initialize", JsonObject{{"protocolVersion", "2025-06-18"}}),
               responder);
  const Json capabilities = *responder->answered().find("result")->find("capabilities");
  EXPECT_EQ(to_text(*capabilities.find("prompts")), "{}");
  EXPECT_EQ(to_text(*capabilities.find("tools")), R"({"listChanged":true})");
}

TEST_F(ServerTest, TellsOfChangesToThoseWhoListen) {
  initialize("2025-06-18");
  std::vector<std::string> heard;
  client_->set_outlet([&](const Json& message) { heard.push_back(message.find("method")->as_string()); });
  server_.take(client_, {"notifications/initialized", {}});
  const auto listening = start(
      Era::kModern, request("l", "subscriptions/listen",
                            modern(JsonObject{{"notifications", JsonObject{{"toolsListChanged", true}}}})));
  EXPECT_EQ(listening->sent().find("method")->as_string(), "notifications/subscriptions/acknowledged");
  while (listening->sent(1, std::chrono::milliseconds(20)).is_null()) (*tools_.changed)();
  EXPECT_EQ(listening->sent(1).find("method")->as_string(), "notifications/tools/list_changed");
  EXPECT_EQ(*listening->sent(1).find("params")->find("_meta")->find(rpc::kMetaSubscriptionId), Json("l"));
  EXPECT_FALSE(heard.empty());
  server_.leave(client_);
  EXPECT_NE(listening->answered().find("result"), nullptr);
}

}  // namespace
}  // namespace helve::mcp
