#include "mcp/house.h"

#include <gtest/gtest.h>

#include "base/file_uri.h"
#include "mcp/runtime_tools.h"
#include "mcp/testing.h"
#include "workspace/test_directory.h"

namespace helve::mcp {
namespace {

using rpc::Era;
using testing::Remembering;
using testing::request;
using testing::text_of;

// A server that was started in one directory, for a client that works in another.
class HouseTest : public ::testing::Test {
 protected:
  HouseTest() {
    started_.write("started.txt", "here\n");
    other_.write("other.txt", "there\n");
    client_->set_outlet([this](const Json& message) { heard_ += to_text(message); });
  }
  [[nodiscard]] Expected<std::shared_ptr<Runtime>> runtime(const std::string& workspace) const {
    auto made = Runtime::create({.workspace = workspace, .state_directory = state_.path()});
    if (!made) return fail(made.error());
    return std::shared_ptr<Runtime>(*std::move(made));
  }
  void initialize(const Json& capabilities, std::string_view revision = "2025-11-25") {
    const auto responder = std::make_shared<Remembering>();
    server_.serve(
        client_, Era::kOld,
        request(0, "initialize", JsonObject{{"protocolVersion", revision}, {"capabilities", capabilities}}),
        responder);
    server_.take(client_, {"notifications/initialized", {}});
  }
  // What ls shows; when the client is asked for its roots, it names these.
  std::string list(const JsonArray& roots, int* asked = nullptr) {
    const auto responder = std::make_shared<Remembering>();
    std::jthread calling([&] {
      server_.serve(
          client_, Era::kOld,
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
  House house_{*runtime(started_.path()), [this](const std::string& path) { return runtime(path); }};
  RuntimeTools tools_{house_};
  Server server_{{.version = "1"}, {.tools = &tools_}};
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::string heard_;
  int id_ = 0;
};

const Json kHasRoots = JsonObject{{"roots", JsonObject()}};

TEST_F(HouseTest, WorksWhereTheClientDoes) {
  initialize(kHasRoots);
  int asked = 0;
  const std::string listed = list({root("/no/such/directory"), root(other_.path())}, &asked);
  EXPECT_NE(listed.find("other.txt"), std::string::npos) << listed;
  EXPECT_NE(heard_.find("tools/list_changed"), std::string::npos);
  static_cast<void>(list({root(started_.path())}, &asked));
  EXPECT_EQ(asked, 1) << "once is enough";
}

TEST_F(HouseTest, MovesWhenTheRootsChange) {
  initialize(kHasRoots);
  static_cast<void>(list({root(other_.path())}));
  server_.take(client_, {"notifications/roots/list_changed", {}});
  const std::string listed = list({root(started_.path())});
  EXPECT_NE(listed.find("started.txt"), std::string::npos) << listed;
}

TEST_F(HouseTest, StaysWhereItIsWithoutRootsThatAreDirectoriesHere) {
  initialize(kHasRoots);
  EXPECT_NE(
      list({root("/no/such/directory"), JsonObject{{"uri", "https://a.example/"}}, 7}).find("started.txt"),
      std::string::npos);
}

TEST_F(HouseTest, AClientWithoutRootsIsNotAsked) {
  initialize(JsonObject());
  int asked = 0;
  EXPECT_NE(list({root(other_.path())}, &asked).find("started.txt"), std::string::npos);
  EXPECT_EQ(asked, 0);
}

TEST_F(HouseTest, AWorkspaceThatIsNamedStays) {
  House named(*runtime(started_.path()));
  RuntimeTools tools(named);
  Server server({.version = "1"}, {.tools = &tools});
  initialize(kHasRoots);
  const auto responder = std::make_shared<Remembering>();
  server.serve(client_, Era::kOld,
               request(1, "tools/call", JsonObject{{"name", "ls"}, {"arguments", JsonObject{{"path", "."}}}}),
               responder);
  EXPECT_NE(text_of(responder->answered()).find("started.txt"), std::string::npos);
}

TEST_F(HouseTest, WhatIsLoggedReachesClientsThatWantIt) {
  initialize(JsonObject());
  server_.log(LogSeverity::kWarning, JsonObject{{"message", "a server failed"}});
  EXPECT_NE(heard_.find(R"("level":"warning","logger":"helve","data":{"message":"a server failed"})"),
            std::string::npos)
      << heard_;
  heard_.clear();
  client_->set_log_level(LogSeverity::kError);
  server_.log(LogSeverity::kWarning, JsonObject{{"message", "another"}});
  EXPECT_EQ(heard_, "");
}

}  // namespace
}  // namespace helve::mcp
