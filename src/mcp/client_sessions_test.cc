#include "mcp/client_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_uri.h"
#include "base/test_directory.h"
#include "helve/runtime.h"
#include "mcp/runtime_tools.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Protocol;
using testing::RecordingResponder;
using testing::request;
using testing::text_of;

// A server that was started in one directory, for a client that works in another.
class ClientSessionsTest : public ::testing::Test {
 protected:
  ClientSessionsTest() {
    started_.write("started.txt", "here\n");
    other_.write("other.txt", "there\n");
    client_->set_outlet([this](const Json& message) { received_ += to_text(message); });
  }
  [[nodiscard]] Expected<std::shared_ptr<Runtime>> runtime(const std::string& workspace) const {
    auto made = Runtime::create({.workspace = workspace, .state_directory = state_.path()});
    if (!made) return fail(made.error());
    return std::shared_ptr<Runtime>(*std::move(made));
  }
  void initialize(const Json& capabilities, std::string_view revision = "2025-11-25") {
    const auto responder = std::make_shared<RecordingResponder>();
    server_.serve(
        client_, Protocol::kSessionBased,
        request(0, "initialize", JsonObject{{"protocolVersion", revision}, {"capabilities", capabilities}}),
        responder);
    server_.handle(client_, {"notifications/initialized", {}});
  }
  // Returns the output of ls. Answers roots/list with these roots.
  std::string list(const JsonArray& roots, int* asked = nullptr) {
    const auto responder = std::make_shared<RecordingResponder>();
    std::jthread calling([&] {
      server_.serve(
          client_, Protocol::kSessionBased,
          request(++id_, "tools/call", JsonObject{{"name", "ls"}, {"arguments", JsonObject{{"path", "."}}}}),
          responder);
    });
    for (std::size_t n = 0; n < 1; ++n) {
      while (responder->answered_now() == 0 && responder->sent_now() == 0) std::this_thread::yield();
      if (responder->sent_now() == 0) break;
      const Json question = responder->sent();
      EXPECT_EQ(*question.find("method"), Json("roots/list"));
      if (asked != nullptr) ++*asked;
      client_->take_response({.id = *question.find("id"), .result = JsonObject{{"roots", roots}}});
    }
    return text_of(responder->answered());
  }
  static Json root(const std::string& path) { return JsonObject{{"uri", file_uri(path)}}; }

  TestDirectory started_;
  TestDirectory other_;
  TestDirectory state_;
  ClientSessions sessions_{*runtime(started_.path()),
                           [this](const std::string& path) { return runtime(path); }};
  RuntimeTools tools_{sessions_};
  Server server_{{.version = "1"}, {.tools = &tools_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::string received_;
  int id_ = 0;
};

const Json kHasRoots = JsonObject{{"roots", JsonObject()}};

TEST_F(ClientSessionsTest, WorksInTheFirstRootOfTheClient) {
  initialize(kHasRoots);
  int asked = 0;
  const std::string listed = list({root("/no/such/directory"), root(other_.path())}, &asked);
  EXPECT_THAT(listed, ::testing::HasSubstr("other.txt"));
  EXPECT_THAT(received_, ::testing::HasSubstr("tools/list_changed"));
  static_cast<void>(list({root(started_.path())}, &asked));
  EXPECT_EQ(asked, 1) << "roots are requested once";
}

TEST_F(ClientSessionsTest, MovesWhenTheRootsChange) {
  initialize(kHasRoots);
  static_cast<void>(list({root(other_.path())}));
  server_.handle(client_, {"notifications/roots/list_changed", {}});
  const std::string listed = list({root(started_.path())});
  EXPECT_THAT(listed, ::testing::HasSubstr("started.txt"));
}

TEST_F(ClientSessionsTest, KeepsTheWorkspaceIfNoRootIsALocalDirectory) {
  initialize(kHasRoots);
  EXPECT_THAT(list({root("/no/such/directory"), JsonObject{{"uri", "https://a.example/"}}, 7}),
              ::testing::HasSubstr("started.txt"));
}

TEST_F(ClientSessionsTest, DoesNotAskAClientWithoutRoots) {
  initialize(JsonObject());
  int asked = 0;
  EXPECT_THAT(list({root(other_.path())}, &asked), ::testing::HasSubstr("started.txt"));
  EXPECT_EQ(asked, 0);
}

TEST_F(ClientSessionsTest, KeepsAWorkspaceThatCannotMove) {
  ClientSessions named(*runtime(started_.path()));
  RuntimeTools tools(named);
  Server server({.version = "1"}, {.tools = &tools});
  initialize(kHasRoots);
  const auto responder = std::make_shared<RecordingResponder>();
  server.serve(client_, Protocol::kSessionBased,
               request(1, "tools/call", JsonObject{{"name", "ls"}, {"arguments", JsonObject{{"path", "."}}}}),
               responder);
  EXPECT_THAT(text_of(responder->answered()), ::testing::HasSubstr("started.txt"));
}

TEST_F(ClientSessionsTest, SendsLogMessagesToClientsThatWantThem) {
  initialize(JsonObject());
  server_.log(LogSeverity::kWarning, JsonObject{{"message", "a server failed"}});
  EXPECT_THAT(received_, ::testing::HasSubstr(
                             R"("level":"warning","logger":"helve","data":{"message":"a server failed"})"));
  received_.clear();
  client_->set_log_level(LogSeverity::kError);
  server_.log(LogSeverity::kWarning, JsonObject{{"message", "another"}});
  EXPECT_EQ(received_, "");
}

TEST_F(ClientSessionsTest, AQuestionThatTheClientDoesNotAnswerDoesNotOutliveItsLimit) {
  initialize(JsonObject{{"elicitation", JsonObject()}});
  for (int n = 1; n <= 2; ++n) {  // the first must not block the second
    const auto responder = std::make_shared<RecordingResponder>();
    std::jthread calling([&] {
      server_.serve(
          client_, Protocol::kSessionBased,
          request(++id_, "tools/call",
                  JsonObject{{"name", "ask_user"},
                             {"arguments", JsonObject{{"question", "Which?"}, {"timeoutMs", 100}}}}),
          responder);
    });
    EXPECT_EQ(*responder->sent().find("method"), Json("elicitation/create"));
    const Json answer = responder->answered();
    client_->cancel(Json(id_));
    ASSERT_FALSE(answer.is_null()) << "it still waits";
    EXPECT_THAT(text_of(answer), ::testing::HasSubstr("TIMEOUT")) << n;
  }
}

}  // namespace
}  // namespace helve::mcp
