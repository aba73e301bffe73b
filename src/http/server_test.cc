#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/strings.h"
#include "http/testing.h"

namespace helve::http {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGetWithQuery = "GET /a?b HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST_F(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
  start(echo);
  RawClient client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send(kGetWithQuery);
    const std::string answer = client.read_answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.contains("\r\nContent-Type: text/plain\r\n")) << answer;
    EXPECT_TRUE(answer.contains("\r\nDate: ")) << answer;
    EXPECT_FALSE(answer.contains("Connection")) << answer;
    EXPECT_TRUE(answer.contains("\r\nKeep-Alive: timeout=60\r\n")) << answer;
    EXPECT_EQ(body_of(answer), "GET /a b ");
  }
  EXPECT_EQ(server_->open_connections(), 1U);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start(echo);
  RawClient client = connect();
  std::string requests;
  for (int i = 0; i < 300; ++i)
    requests += i % 2 == 0 ? concat("POST /", i, " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                           : concat("POST /", i, " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                                    "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  client.send(requests);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(body_of(client.read_answer()), concat("POST /", i, "  abc"));
}

TEST_F(HttpServerTest, AcceptsRequestsByteByByte) {
  start(echo);
  RawClient client = connect();
  for (
      const std::string_view request :
      {"\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"sv,
       "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: 1\r\n\r\n"sv}) {
    for (const char byte : request) client.send({&byte, 1});
    EXPECT_EQ(body_of(client.read_answer()), "POST /x  abc");
  }
}

TEST_F(HttpServerTest, ReceivesAndSendsLargeBodies) {
  start(echo);
  const std::string large(5'000'000, 'x');
  RawClient client = connect();
  std::jthread sender([&] {
    client.send(concat("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ", large.size(), "\r\n\r\n", large));
  });
  EXPECT_EQ(body_of(client.read_answer()), concat("POST /  ", large));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  start([](Exchange& exchange) {
    if (exchange.request().path == "/begin") {
      exchange.begin({.body = "body"});
      EXPECT_FALSE(exchange.write("more"));
    } else {
      exchange.respond({.body = "body"});
    }
  });
  RawClient client = connect();
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_answer(false).contains("\r\nContent-Length: 4\r\n"));
  client.send("HEAD /begin HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_answer(false).contains("\r\nTransfer-Encoding: chunked\r\n"));
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(body_of(client.read_all()), "body");
}

TEST_F(HttpServerTest, SendsNoBodyForStatusWithoutBody) {
  start([](Exchange& exchange) { exchange.respond({.status = 204, .body = "ignored"}); });
  RawClient client = connect();
  client.send(concat(kGetWithQuery, kGetWithQuery));
  for (int i = 0; i < 2; ++i) {
    const std::string answer = client.read_answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 204 No Content\r\n")) << answer;
    EXPECT_FALSE(answer.contains("Content-Length")) << answer;
  }
}

TEST_F(HttpServerTest, KeepsHttp10ConnectionsOnlyOnRequest) {
  start(echo);
  const std::string once = answer_to("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(once.contains("\r\nConnection: close\r\n")) << once;
  RawClient client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_TRUE(client.read_answer().contains("\r\nConnection: keep-alive\r\n"));
  }
}

TEST_F(HttpServerTest, ClosesIfTheClientOrTheHandlerRequestsIt) {
  start([](Exchange& exchange) {
    exchange.respond({.headers = {{"Connection", exchange.request().path == "/bye" ? "close" : "x"}}});
  });
  const std::string asked = answer_to("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(asked.contains("\r\nConnection: close\r\n")) << asked;
  // A following request is not answered.
  const std::string closed = answer_to(concat("GET /bye HTTP/1.1\r\nHost: a\r\n\r\n", kGetWithQuery));
  EXPECT_THAT(closed.substr(1), ::testing::Not(::testing::HasSubstr("HTTP/1.1")));
}

TEST_F(HttpServerTest, SendsEachPieceAtOnce) {
  std::atomic<int> taken = 0;
  start([&](Exchange& exchange) {
    exchange.begin({.headers = {{"Content-Type", "text/event-stream"}}, .body = "first"});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(comes_true([&] { return taken > i; }));
      EXPECT_TRUE(exchange.write(concat("piece ", i)));
      EXPECT_TRUE(exchange.write(""));
    }
  });
  RawClient client = connect();
  client.send(kGetWithQuery);
  const std::string head = client.read_to("\r\n\r\n");
  EXPECT_TRUE(head.contains("\r\nTransfer-Encoding: chunked\r\n")) << head;
  EXPECT_EQ(client.read_to("first\r\n"), "5\r\nfirst\r\n");
  for (int i = 0; i < 3; ++i) {
    ++taken;
    EXPECT_EQ(client.read_to(concat("piece ", i, "\r\n")), concat("7\r\npiece ", i, "\r\n"));
  }
  EXPECT_EQ(client.read_to("0\r\n\r\n"), "0\r\n\r\n");
  client.send(kGetWithQuery);
  EXPECT_TRUE(client.read_to("0\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
}

TEST_F(HttpServerTest, StreamsToHttp10ClientsUntilTheConnectionEnds) {
  start([&](Exchange& exchange) {
    exchange.begin({.body = "one "});
    exchange.write("two");
  });
  const std::string answer = answer_to("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_FALSE(answer.contains("chunked")) << answer;
  EXPECT_TRUE(answer.contains("\r\nConnection: close\r\n")) << answer;
  EXPECT_EQ(body_of(answer), "one two");
}

TEST_F(HttpServerTest, DoesNotInterleavePiecesOfSeveralThreads) {
  start([&](Exchange& exchange) {
    exchange.begin({});
    std::vector<std::jthread> writers;
    for (char name = 'a'; name < 'e'; ++name)
      writers.emplace_back([&exchange, name] {
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(exchange.write(std::string(300, name)));
      });
  });
  RawClient client = connect();
  client.send(kGetWithQuery);
  client.read_to("\r\n\r\n");
  for (int i = 0; i < 800; ++i) {
    ASSERT_EQ(client.read_to("\r\n"), "12c\r\n");
    const std::string piece = client.read_to("\r\n");
    ASSERT_EQ(piece, std::string(300, piece.front()) + "\r\n");
  }
  EXPECT_EQ(client.read_to("0\r\n\r\n"), "0\r\n\r\n");
}

TEST_F(HttpServerTest, SendsContinueOnRequest) {
  start(echo, {.limits = {.body_bytes = 10}});
  RawClient client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(body_of(client.read_answer()), "POST /  abc");
  // A body that has already arrived needs no 100 Continue, and one that is too long gets none.
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc");
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, AnswersIfTheHandlerDoesNot) {
  Logger quiet(LogLevel::kError, Logger::Format::kPlain, -1);
  auto started = Server::start(
      {},
      [](Exchange& exchange) {
        if (exchange.request().path == "/begun") exchange.begin({.body = "half"});
        if (exchange.request().path == "/odd") throw 1;
        if (exchange.request().path != "/silent") throw std::runtime_error("broken");
      },
      quiet);
  ASSERT_TRUE(started);
  server_ = std::move(*started);
  RawClient client = connect();
  for (const std::string_view path : {"/silent", "/odd", "/"}) {
    client.send(concat("GET ", path, " HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 500")) << path;
  }
  client.send("GET /begun HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string half = client.read_all();
  EXPECT_TRUE(half.ends_with("4\r\nhalf\r\n")) << half;
}

TEST_F(HttpServerTest, MapsInterimStatusTo500) {
  start([](Exchange& exchange) {
    exchange.respond({.status = exchange.request().path == "/" ? 0 : 101, .body = "odd"});
  });
  RawClient client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 2; ++i) {
    const std::string answer = client.read_answer();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 ")) << answer;
    EXPECT_EQ(body_of(answer), "odd");
  }
}

TEST_F(HttpServerTest, SendsOnlyTheFirstOfSeveralAnswers) {
  start([](Exchange& exchange) {
    exchange.respond({.body = "first"});
    exchange.respond({.body = "second"});
    exchange.begin({.body = "third"});
    EXPECT_FALSE(exchange.write("fourth"));
  });
  RawClient client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(body_of(client.read_all()), "first");
}

TEST_F(HttpServerTest, PreventsHeaderInjection) {
  start([](Exchange& exchange) {
    exchange.respond({.headers = {{"X-A", "1\r\nX-Evil: 2"},
                                  {"X-B\r\nX-Evil", "3"},
                                  {"Content-Length", "99"},
                                  {"Transfer-Encoding", "chunked"},
                                  {"X-C", "4"}}});
  });
  RawClient client = connect();
  client.send(kGetWithQuery);
  const std::string answer = client.read_answer();
  EXPECT_FALSE(answer.contains("Evil")) << answer;
  EXPECT_FALSE(answer.contains("chunked")) << answer;
  EXPECT_FALSE(answer.contains("99")) << answer;
  EXPECT_TRUE(answer.contains("\r\nX-C: 4\r\n")) << answer;
}

TEST_F(HttpServerTest, RefusesRequestsBeforeReadingTheirBody) {
  std::atomic<int> handled = 0;
  ServerOptions options;
  options.admit = [](const Request& head) -> std::optional<Response> {
    if (head.path == "/mine") return std::nullopt;
    return Response{.status = 401, .body = "no"};
  };
  Refusals refusals(logger_);
  std::mutex mutex;
  std::vector<Refused> whose;
  options.on_refusal = [&](const Response& answer, const Refused& refused) {
    refusals.add(answer);
    const std::lock_guard lock(mutex);
    whose.push_back(refused);
  };
  start(
      [&](Exchange& exchange) {
        ++handled;
        exchange.respond({});
      },
      std::move(options));
  RawClient client = connect();
  client.send("POST /there?key=secret HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  const std::string answer = client.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 401 Unauthorized\r\n")) << answer;
  EXPECT_EQ(handled, 0);
  EXPECT_TRUE(
      answer_to("GET /mine HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(answer_to("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
  EXPECT_EQ(refusals.counts(), (std::map<int, std::uint64_t>{{400, 1}, {401, 1}}));
  const std::lock_guard lock(mutex);
  ASSERT_EQ(whose.size(), 2U);
  EXPECT_EQ(whose[0].method + " " + whose[0].path, "POST /there");
  EXPECT_EQ(whose[1].method + whose[1].path, "");
  for (const Refused& refused : whose) EXPECT_TRUE(refused.peer.starts_with("127.0.0.1:")) << refused.peer;
}

TEST_F(HttpServerTest, ListensOnIpv4AndIpv6) {
  Logger logger;
  for (const std::string address : {"127.0.0.1", "localhost", "::1", "[::1]"}) {
    const auto server = Server::start({.address = address}, echo, logger);
    ASSERT_TRUE(server) << server.error().message;
    EXPECT_NE((*server)->port(), 0);
  }
}

TEST_F(HttpServerTest, ExplainsWhyItCannotListen) {
  start(echo);
  const auto taken = Server::start({.port = server_->port()}, echo, logger_);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message,
            concat("Cannot listen on 127.0.0.1 port ", server_->port(), ": Address already in use"));
  EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(taken.error().hint.empty());
  const auto nowhere = Server::start({.address = "somewhere.example"}, echo, logger_);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "Cannot listen on 'somewhere.example': it is not an IP address");
  const auto foreign = Server::start({.address = "192.0.2.1"}, echo, logger_);
  ASSERT_FALSE(foreign);
  EXPECT_TRUE(foreign.error().message.contains("192.0.2.1")) << foreign.error().message;
}

TEST_F(HttpServerTest, CanReuseThePortAtOnce) {
  start(echo);
  const std::uint16_t port = server_->port();
  // The side that closes first keeps the port pair in TIME_WAIT.
  EXPECT_TRUE(answer_to("GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200"));
  server_.reset();
  start(echo, {.port = port});
}

}  // namespace
}  // namespace helve::http
