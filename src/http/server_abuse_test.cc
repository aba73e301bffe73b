#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "base/strings.h"
#include "http/response_text.h"
#include "http/testing.h"

namespace helve::http {
namespace {

using namespace std::string_view_literals;
using std::chrono::milliseconds;

class ServerAbuseTest : public HttpServerTest {
 protected:
  // Expects one refusal and a closed connection; following bytes are not treated as a request.
  void expect_refused(std::string_view bytes, int status) const {
    const std::string answer = answer_to(concat(bytes, kGet));
    EXPECT_TRUE(answer.starts_with(concat("HTTP/1.1 ", status, ' '))) << bytes << "\n" << answer;
    EXPECT_TRUE(answer.contains("\r\nConnection: close\r\n")) << answer;
    EXPECT_TRUE(answer.contains("\r\n\r\n{\"error\":\"")) << answer;
    EXPECT_THAT(answer, ::testing::Not(::testing::HasSubstr("}HTTP/1.1 "))) << bytes << "\n" << answer;
  }
  void expect_service() const {
    RawClient client = connect();
    client.send(kGet);
    EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200 OK"));
  }
};

TEST_F(ServerAbuseTest, ClosesAfterAmbiguousRequests) {
  start(echo);
  for (const std::string_view head :
       {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"sv,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n"sv,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"sv,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"sv,
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"sv, "GET / HTTP/1.1\nHost: a\n\n"sv,
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n"sv, "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n"sv,
        "GET / HTTP/1.1\r\n\r\n"sv, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"sv,
        "GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n"sv, "\x16\x03\x01\x02\x00\x01\r\n\r\n"sv,
        "\0\0\0\r\n\r\n"sv})
    expect_refused(head, 400);
  expect_refused("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505);
  expect_refused("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 501);
  expect_refused("POST / HTTP/1.0\r\n\r\n", 411);
  expect_refused("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417);
  expect_service();
}

TEST_F(ServerAbuseTest, LimitsHeadsAndBodies) {
  start(echo, {.limits = {.header_bytes = 1000, .body_bytes = 100}});
  expect_refused(concat("GET /", std::string(2000, 'a')), 414);
  expect_refused(concat("GET / HTTP/1.1\r\nHost: a\r\nX: ", std::string(2000, 'a')), 431);
  expect_refused(concat("GET / HTTP/1.1\r\nHost: a\r\nX: ", std::string(2000, 'a'), "\r\n\r\n"), 431);
  expect_refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413);
  expect_refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413);
  expect_refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413);
  expect_service();
}

TEST_F(ServerAbuseTest, AClientThatStillSendsGetsTheReason) {
  start(echo, {.limits = {.body_bytes = 100}});
  RawClient client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
  client.send(std::string(3'000'000, 'x'));
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 413"));
  EXPECT_FALSE(client.was_reset());
}

TEST_F(ServerAbuseTest, LimitsTheTimeOfSlowHeadsAndBodies) {
  start(echo, {.limits = {.header_time = milliseconds(150), .body_time = milliseconds(150)}});
  for (const std::string_view start :
       {"GET / HTTP/1.1\r\nX: "sv, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"sv,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5000\r\n"sv}) {
    RawClient client = connect();
    client.send(start);
    std::atomic<bool> over = false;
    // Single bytes do not extend the time limit.
    std::jthread drip([&] {
      while (!over && client.send("a")) std::this_thread::sleep_for(milliseconds(5));
    });
    EXPECT_TRUE(client.read_to("}").starts_with("HTTP/1.1 408")) << start;
    over = true;
  }
}

TEST_F(ServerAbuseTest, ClosesIdleConnectionsWithoutAnAnswer) {
  start(echo, {.limits = {.idle_time = milliseconds(700)}});
  EXPECT_EQ(answer_to(""), "");
  RawClient client = connect();
  client.send(kGet);
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() == 0; }));
}

TEST_F(ServerAbuseTest, DoesNotWaitForClientsThatDoNotRead) {
  std::atomic<bool> failed = false;
  std::atomic<bool> stopped = false;
  start(
      [&](Exchange& exchange) {
        exchange.begin({});
        const std::string piece(100'000, 'x');
        while (exchange.write(piece)) continue;
        failed = true;
        stopped = comes_true([&] { return exchange.stop().stop_requested(); });
      },
      {.limits = {.write_time = milliseconds(100)}});
  RawClient client = connect();
  client.send(kGet);
  EXPECT_TRUE(comes_true([&] { return stopped.load(); }));
  EXPECT_TRUE(failed);
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() == 0; }));
}

TEST_F(ServerAbuseTest, ClosesTheOldestIdleConnectionForANewOne) {
  start(echo, {.limits = {.connections = 4}});
  std::deque<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(server_->port());
    clients.back().send(kGet);
    EXPECT_TRUE(clients.back().read_answer().starts_with("HTTP/1.1 200"));
    // Its thread becomes idle shortly after the answer, which cannot be observed.
    std::this_thread::sleep_for(milliseconds(400));
  }
  clients.front().send(kGet);
  EXPECT_TRUE(clients.front().read_answer().starts_with("HTTP/1.1 200"));
  std::this_thread::sleep_for(milliseconds(400));
  expect_service();
  EXPECT_EQ(clients[1].read_all(), "");
  for (const std::size_t other : {0U, 2U, 3U}) {
    clients[other].send(kGet);
    EXPECT_TRUE(clients[other].read_answer().starts_with("HTTP/1.1 200")) << other;
  }
}

TEST_F(ServerAbuseTest, ServesNormalClientsWhileSlowOnesHoldEveryConnection) {
  start(echo, {.limits = {.connections = 8}});
  std::deque<RawClient> slow;
  for (int i = 0; i < 8; ++i) {
    slow.emplace_back(server_->port());
    slow.back().send(i % 2 == 0 ? "GET / HTTP/1.1\r\nX: "sv
                                : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"sv);
  }
  ASSERT_TRUE(comes_true([&] { return server_->open_connections() == 8; }));
  std::this_thread::sleep_for(milliseconds(600));  // longer than the grace time for half a request
  for (int i = 0; i < 20; ++i) expect_service();
  EXPECT_TRUE(comes_true([&] { return std::ranges::any_of(slow, &RawClient::is_ended); }));
}

constexpr std::string_view kKnown = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer right\r\n\r\n";

ServerOptions options_with_token(Limits limits = {}) {
  const auto is_open = [](const Request& head) { return head.path == "/health"; };
  return {.limits = limits,
          .admit = [is_open](const Request& head) -> std::optional<Response> {
            const std::string* given = head.headers.find("authorization");
            if (is_open(head) || (given != nullptr && *given == "Bearer right")) return std::nullopt;
            return error_response(401, "no");
          },
          .is_open = is_open};
}

TEST_F(ServerAbuseTest, HalfSentRequestsWithoutATokenDoNotKeepOthersOut) {
  start(echo, options_with_token());
  std::deque<RawClient> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.emplace_back(server_->port());
    strangers.back().send(i % 2 == 0 ? "GET / HTTP/1.1\r\nX: "sv : "POST /health HTTP/1.1\r\nHost: a\r\n"sv);
    if (i % 30 != 29) continue;
    RawClient client = connect();
    client.send(kKnown);
    EXPECT_THAT(client.read_answer(), ::testing::StartsWith("HTTP/1.1 200 OK")) << "after " << i + 1;
  }
  EXPECT_LE(server_->open_connections(), Limits().strangers + 16);
}

TEST_F(ServerAbuseTest, StrangersDoNotTakeThePlaceOfAClientWithAToken) {
  start(echo, options_with_token({.connections = 12, .strangers = 4, .strangers_of_peer = 4}));
  std::deque<RawClient> known;
  for (int i = 0; i < 8; ++i) {
    known.emplace_back(server_->port());
    known.back().send(kKnown);
    EXPECT_THAT(known.back().read_answer(), ::testing::StartsWith("HTTP/1.1 200 OK"));
  }
  std::deque<RawClient> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.emplace_back(server_->port());
    strangers.back().send("GET / HTTP/1.1\r\nX: ");
  }
  EXPECT_TRUE(comes_true([&] { return std::ranges::count_if(strangers, &RawClient::is_ended) >= 96; }));
  for (RawClient& client : known) {
    client.send(kKnown);
    EXPECT_THAT(client.read_answer(), ::testing::StartsWith("HTTP/1.1 200 OK"))
        << "its connection was closed";
  }
}

TEST_F(ServerAbuseTest, AStrangerDoesNotStay) {
  start(echo, options_with_token({.stranger_time = milliseconds(500)}));
  EXPECT_EQ(answer_to(""), "");
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nX: "), ::testing::StartsWith("HTTP/1.1 408"));
  EXPECT_THAT(answer_to("GET /health HTTP/1.1\r\nHost: a\r\n\r\n"),
              ::testing::HasSubstr("\r\nConnection: close\r\n"))
      << "reading an open path proves nothing";
  RawClient known = connect();
  known.send(kKnown);
  EXPECT_THAT(known.read_answer(), ::testing::Not(::testing::HasSubstr("Connection: close")));
  std::this_thread::sleep_for(milliseconds(800));  // longer than a stranger's time
  known.send(kKnown);
  EXPECT_THAT(known.read_answer(), ::testing::StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerAbuseTest, RefusesConnectionsWhenAllAreBusy) {
  std::atomic<int> running = 0;
  std::atomic<bool> go_on = false;
  start(
      [&](Exchange& exchange) {
        ++running;
        EXPECT_TRUE(comes_true([&] { return go_on.load(); }));
        exchange.respond({});
      },
      {.limits = {.connections = 3}});
  std::vector<RawClient> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back(server_->port());
    busy.back().send(kGet);
  }
  EXPECT_TRUE(comes_true([&] { return running == 3; }));
  for (int i = 0; i < 50; ++i) {
    RawClient client = connect();
    client.send(kGet);
    const std::string answer = client.read_all();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << answer;
    EXPECT_TRUE(answer.contains("\r\nRetry-After: 1\r\n")) << answer;
  }
  go_on = true;
  for (RawClient& client : busy) EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  expect_service();
}

TEST_F(ServerAbuseTest, DoesNotLeakDescriptorsOrThreads) {
  start(echo);
  expect_service();
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() == 0; }));
  const std::size_t descriptors = count_entries("/proc/self/fd");
  const std::size_t threads = count_entries("/proc/self/task");
  for (int i = 0; i < 500; ++i) {
    RawClient client = connect();
    client.send(i % 5 == 0 ? "BROKEN\r\n\r\n"sv : i % 5 == 1 ? "GET / HT"sv : kGet);
    if (i % 3 != 0 && i % 5 != 1) {
      EXPECT_FALSE(client.read_answer().empty());
    }
    if (i % 7 == 0) client.reset();
  }
  EXPECT_TRUE(comes_true([&] {
    return count_entries("/proc/self/fd") <= descriptors && count_entries("/proc/self/task") <= threads;
  })) << count_entries("/proc/self/fd")
      << " descriptors, " << count_entries("/proc/self/task") << " threads";
  EXPECT_EQ(server_->open_connections(), 0U);
}

TEST_F(ServerAbuseTest, WaitsForDescriptorsWithoutSpinning) {
  Logger quiet(LogLevel::kError);
  auto started = Server::start({}, echo, quiet);
  ASSERT_TRUE(started);
  server_ = std::move(*started);
  RawClient first = connect();
  first.send(kGet);
  EXPECT_TRUE(first.read_answer().starts_with("HTTP/1.1 200"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // The client's end of the second connection takes the last descriptor.
  rlimit low = before;
  low.rlim_cur = static_cast<rlim_t>(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get()) + 1;
  rusage usage_before{};
  rusage usage_after{};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  RawClient second = connect();
  second.send(kGet);
  ::getrusage(RUSAGE_SELF, &usage_before);
  // The first connection is idle and is closed to free one.
  EXPECT_TRUE(second.read_answer().starts_with("HTTP/1.1 200"));
  ::getrusage(RUSAGE_SELF, &usage_after);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(first.read_all(), "");
  // Thousands of loop iterations would be a busy loop.
  EXPECT_LT(usage_after.ru_nvcsw - usage_before.ru_nvcsw, 200);
}

}  // namespace
}  // namespace helve::http
