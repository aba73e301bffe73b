// HTTP connections to a server whose answers the test decides.
#include "gateway/http_channel.h"

#include <deque>

#include "base/json_parse.h"
#include "base/strings.h"
#include "gateway/testing.h"
#include "http/server.h"

namespace helve::gateway {
namespace {

// Answers as the test says, and records the requests.
class HttpChannelTest : public ::testing::Test {
 protected:
  HttpChannelTest() {
    auto server = http::Server::start({}, [this](http::Exchange& exchange) { answer(exchange); }, logger_);
    EXPECT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  struct Seen {
    std::string verb;
    std::string method;  // of the message
    http::Headers headers;
    Json id;
  };

  std::string url() const { return concat("http://127.0.0.1:", server_->port(), "/mcp"); }

  Expected<std::unique_ptr<Connection>> connect() {
    ConnectionOptions options{.server = "web", .workspace = "/w"};
    options.offers.questions = true;
    options.open_channel = [this](Listener& listener) -> Expected<std::unique_ptr<Channel>> {
      return std::make_unique<HttpChannel>(
          HttpTraffic::Parts{.server = "web", .url = url(), .authoriser = authoriser_}, listener, logger_);
    };
    return Connection::open(options, logger_, soon());
  }

  void answer(http::Exchange& exchange) {
    const http::Request& request = exchange.request();
    Json body = parse_json(request.body).value_or(Json());
    Seen seen{request.method, text_member(body, "method"), request.headers, Json()};
    if (const Json* id = body.find("id")) seen.id = *id;
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(seen);
    }
    if (on_request && on_request(exchange, seen, body)) return;
    if (request.method == "GET") return exchange.respond({.status = 405});
    if (request.method == "DELETE") return exchange.respond({.status = 200});
    if (seen.id.is_null()) return exchange.respond({.status = 202});
    if (seen.method == "server/discover")
      return exchange.respond({.status = 400, .body = "Bad Request: no session"});
    if (seen.method == "initialize") {
      http::Response response =
          reply(seen.id, JsonObject{{"protocolVersion", "2025-11-25"},
                                    {"capabilities", JsonObject{{"tools", JsonObject()}}},
                                    {"serverInfo", JsonObject{{"name", "web"}}}});
      response.headers.add("Mcp-Session-Id", concat("session-", ++sessions_));
      return exchange.respond(std::move(response));
    }
    exchange.respond(reply(seen.id, result("plain")));
  }

  static Json result(std::string text) {
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
  }
  static std::string message(const Json& id, Json value) {
    return to_text(to_json(rpc::Response{.id = id, .result = std::move(value)}));
  }
  static http::Response reply(const Json& id, Json value) {
    return {.headers = {{"Content-Type", "application/json"}}, .body = message(id, std::move(value))};
  }
  static void begin_stream(http::Exchange& exchange) {
    exchange.begin({.headers = {{"Content-Type", "text/event-stream"}}});
  }

  std::size_t count(std::string_view verb, std::string_view method = {}) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(seen_, [&](const Seen& seen) {
      return seen.verb == verb && (method.empty() || seen.method == method);
    }));
  }
  std::string header(std::string_view method, std::string_view name) {
    const std::lock_guard lock(mutex_);
    for (const Seen& seen : seen_)
      if (seen.method == method)
        if (const std::string* value = seen.headers.find(name)) return *value;
    return {};
  }

  Logger logger_{LogLevel::kError};
  std::shared_ptr<Authoriser> authoriser_;
  std::mutex mutex_;
  std::vector<Seen> seen_;
  std::atomic<int> sessions_ = 0;
  std::mutex outgoing_mutex_;
  std::deque<std::string> outgoing_;  // used by handlers until the server ends
  std::function<bool(http::Exchange&, const Seen&, const Json& body)> on_request;
  std::unique_ptr<http::Server> server_;
};

TEST_F(HttpChannelTest, KeepsTheSessionAndEndsIt) {
  auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ(text_of((*connection)->call_tool({.name = "t"}, JsonObject(), soon())), "plain");
  EXPECT_EQ(header("tools/call", "mcp-session-id"), "session-1");
  EXPECT_EQ(header("tools/call", "mcp-protocol-version"), "2025-11-25");
  EXPECT_EQ(header("initialize", "mcp-session-id"), "");
  connection->reset();
  EXPECT_EQ(count("DELETE"), 1U);
}

TEST_F(HttpChannelTest, BeginsANewSessionIfTheServerDroppedIt) {
  int calls = 0;  // every second one is the repetition
  std::deque<http::Response> refusals{
      {.status = 404},
      {.status = 400,
       .body = R"({"jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request: No valid session ID"},
                   "id": null})"},
      {.status = 400, .body = "Bad Request: Server not initialized"}};
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    const std::lock_guard lock(outgoing_mutex_);
    if (seen.method != "tools/call" || refusals.empty() || ++calls % 2 == 0) return false;
    exchange.respond(refusals.front());
    refusals.pop_front();
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  for (std::size_t renewed = 1; renewed <= 3; ++renewed) {
    EXPECT_EQ(text_of((*connection)->call_tool({.name = "t"}, JsonObject(), soon())), "plain");
    EXPECT_EQ(count("POST", "initialize"), 1 + renewed);
    EXPECT_EQ(count("POST", "tools/call"), 2 * renewed);
  }
}

TEST_F(HttpChannelTest, ABadRequestKeepsTheSession) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.method != "tools/call") return false;
    exchange.respond({.status = 400, .body = "The arguments are too long."});
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_FALSE((*connection)->call_tool({.name = "t"}, JsonObject(), soon()));
  EXPECT_EQ(count("POST", "initialize"), 1U);
}

TEST_F(HttpChannelTest, ReadsStreamsAndAnswersRequestsInThem) {
  std::atomic<bool> answered = false;
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json& body) {
    if (const Json* action = body.find("result"); action != nullptr && seen.method.empty()) {
      answered = text_member(*action, "action") == "accept";
      exchange.respond({.status = 202});
      return true;
    }
    if (seen.method != "tools/call") return false;
    begin_stream(exchange);
    const Json ask = to_json(rpc::Request{
        .id = "q1",
        .method = "elicitation/create",
        .params = JsonObject{{"message", "Sure?"}, {"requestedSchema", JsonObject{{"type", "object"}}}}});
    exchange.write(http::to_text({.data = to_text(ask)}));
    EXPECT_TRUE(eventually([&] { return answered.load(); }));
    exchange.write(http::to_text({.data = message(seen.id, result("streamed"))}));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  ScriptedAsker asker({.kind = Reply::Kind::kAnswered});
  Terms terms = soon();
  terms.caller = std::make_shared<Caller>(Caller{.asker = &asker});
  EXPECT_EQ(text_of((*connection)->call_tool({.name = "t"}, JsonObject(), terms)), "streamed");
}

TEST_F(HttpChannelTest, ResumesAStreamThatWasCut) {
  Json waiting;
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    const std::string* last = seen.headers.find("last-event-id");
    if (seen.verb == "GET" && last != nullptr) {
      EXPECT_EQ(*last, "e1");
      begin_stream(exchange);
      exchange.write(http::to_text({.data = message(waiting, result("resumed")), .id = "e2"}));
      return true;
    }
    if (seen.method != "tools/call") return false;
    waiting = seen.id;
    begin_stream(exchange);
    exchange.write(http::to_text({.data = "", .id = "e1", .retry_ms = 10}));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ(text_of((*connection)->call_tool({.name = "t"}, JsonObject(), soon())), "resumed");
  EXPECT_EQ(count("POST", "tools/call"), 1U);
}

TEST_F(HttpChannelTest, DoesNotResumeAfterTheDeadline) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.method != "tools/call") return false;
    begin_stream(exchange);
    exchange.write(http::to_text({.data = "", .id = "e1", .retry_ms = 60'000}));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  const auto late =
      (*connection)->call_tool({.name = "t"}, JsonObject(), within(std::chrono::milliseconds(200)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
}

TEST_F(HttpChannelTest, ClosingNeedsNoLogin) {
  struct Counting final : Authoriser {
    std::string authorization() override { return "Bearer x"; }
    Expected<void> renew(const http::Response&, const std::string&, const Terms&) override {
      ++renewals;
      return fail(ErrorCode::kPermissionDenied, "Nobody is there.");
    }
    std::atomic<int> renewals = 0;
  };
  const auto counting = std::make_shared<Counting>();
  authoriser_ = counting;
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.verb != "DELETE") return false;
    exchange.respond({.status = 401});
    return true;
  };
  auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  connection->reset();
  EXPECT_EQ(count("DELETE"), 1U);
  EXPECT_EQ(counting->renewals, 0);
}

TEST_F(HttpChannelTest, ReportsAnUnknownOutcomeIfAStreamCannotBeResumed) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.method != "tools/call") return false;
    begin_stream(exchange);
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  const auto lost = (*connection)->call_tool({.name = "t"}, JsonObject(), soon());
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kOutcomeUnknown);
}

TEST_F(HttpChannelTest, ReceivesMessagesOutsideOfRequests) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.verb != "GET") return false;
    begin_stream(exchange);
    exchange.write(http::to_text(
        {.data = to_text(to_json(rpc::Request{.id = 77, .method = "ping"})), .retry_ms = 60'000}));
    while (!exchange.stop().stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(seen_,
                               [](const Seen& seen) { return seen.verb == "POST" && seen.id == Json(77); });
  }));
}

TEST_F(HttpChannelTest, CancelsAnAbandonedCall) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.method != "tools/call") return false;
    begin_stream(exchange);
    while (!exchange.stop().stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  const auto late =
      (*connection)->call_tool({.name = "t"}, JsonObject(), within(std::chrono::milliseconds(100)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(eventually([&] { return count("POST", "notifications/cancelled") == 1; }));
}

TEST_F(HttpChannelTest, SupportsHttpWithSse) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (exchange.request().path == "/mcp" && seen.verb == "POST") {
      exchange.respond({.status = 405});
      return true;
    }
    if (seen.verb == "GET") {
      begin_stream(exchange);
      exchange.write(http::to_text({.event = "endpoint", .data = "/messages?session=1"}));
      while (!exchange.stop().stop_requested()) {
        std::unique_lock lock(outgoing_mutex_);
        while (!outgoing_.empty()) {
          exchange.write(http::to_text({.event = "message", .data = outgoing_.front()}));
          outgoing_.pop_front();
        }
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      return true;
    }
    const std::lock_guard lock(outgoing_mutex_);
    if (seen.method == "initialize")
      outgoing_.push_back(message(seen.id, JsonObject{{"protocolVersion", "2024-11-05"},
                                                      {"capabilities", JsonObject{{"tools", JsonObject()}}},
                                                      {"serverInfo", JsonObject{{"name", "old"}}}}));
    if (seen.method == "tools/call") outgoing_.push_back(message(seen.id, result("from the stream")));
    exchange.respond({.status = 202});
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ((*connection)->facts().revision, "2024-11-05");
  EXPECT_EQ(text_of((*connection)->call_tool({.name = "t"}, JsonObject(), soon())), "from the stream");
}

TEST_F(HttpChannelTest, RefusesAnEndpointOfAnotherOrigin) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.verb == "POST") {
      exchange.respond({.status = 405});
      return true;
    }
    begin_stream(exchange);
    exchange.write(http::to_text({.event = "endpoint", .data = "http://evil.example/messages"}));
    return true;
  };
  const auto connection = connect();
  ASSERT_FALSE(connection);
  EXPECT_EQ(http_status(connection.error()), 405);
}

TEST_F(HttpChannelTest, StatelessRequestsAreMirroredInHeaders) {
  on_request = [&](http::Exchange& exchange, const Seen& seen, const Json&) {
    if (seen.method != "server/discover") return false;
    exchange.respond(reply(seen.id, JsonObject{{"supportedVersions", JsonArray{rpc::kStatelessRevision}},
                                               {"capabilities", JsonObject{{"tools", JsonObject()}}}}));
    return true;
  };
  const auto connection = connect();
  ASSERT_TRUE(connection) << connection.error().message;
  RemoteTool tool{.name = "grüße"};
  tool.header_arguments = {{{"region"}, "Mcp-Param-Region"}};
  EXPECT_EQ(text_of((*connection)->call_tool(tool, JsonObject{{"region", "eu"}}, soon())), "plain");
  EXPECT_EQ(header("tools/call", "mcp-method"), "tools/call");
  EXPECT_EQ(header("tools/call", "mcp-name"), "=?base64?Z3LDvMOfZQ==?=");
  EXPECT_EQ(header("tools/call", "mcp-param-region"), "eu");
  EXPECT_EQ(header("tools/call", "mcp-protocol-version"), rpc::kStatelessRevision);
  EXPECT_EQ(count("GET"), 0U);
}

TEST_F(HttpChannelTest, RefusalsIncludeTheServersMessage) {
  on_request = [&](http::Exchange& exchange, const Seen&, const Json&) {
    exchange.respond({.status = 503, .body = "out to lunch"});
    return true;
  };
  const auto connection = connect();
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().message, "The MCP server web answered with HTTP status 503: out to lunch");
}

}  // namespace
}  // namespace helve::gateway
