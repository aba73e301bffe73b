#include "http/client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "http/curl_library.h"
#include "http/sse.h"
#include "http/testing.h"
#include "http/transfer.h"

namespace helve::http {
namespace {

using std::chrono::milliseconds;

class ClientTest : public HttpServerTest {
 public:
  ~ClientTest() override { server_.reset(); }
  [[nodiscard]] std::string url(std::string_view path = "/") const {
    return concat("http://127.0.0.1:", server_->port(), path);
  }

  Client client_;
  std::stop_source stop_;
};

// A port that is reserved but on which no server listens.
class DeadPort {
 public:
  DeadPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    number_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  const UniqueFd socket_;
  std::uint16_t number_ = 0;
};

// A server that sends the same text to every client and then closes the connection.
class FixedAnswerServer {
 public:
  explicit FixedAnswerServer(std::string words)
      : words_(std::move(words)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 5), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] {
      for (;;) {
        const UniqueFd peer(::accept(socket_.get(), nullptr, nullptr));
        if (!peer) return;
        char bytes[4096];
        if (::recv(peer.get(), bytes, sizeof bytes, 0) < 0) continue;
        ::send(peer.get(), words_.data(), words_.size(), MSG_NOSIGNAL);
      }
    });
  }
  ~FixedAnswerServer() { ::shutdown(socket_.get(), SHUT_RDWR); }
  FixedAnswerServer(const FixedAnswerServer&) = delete;
  FixedAnswerServer& operator=(const FixedAnswerServer&) = delete;
  [[nodiscard]] std::string url() const { return concat("http://127.0.0.1:", port_, "/"); }

 private:
  std::string words_;
  UniqueFd socket_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

TEST_F(ClientTest, SendsAndReceives) {
  Headers seen;
  start([&](Exchange& exchange) {
    seen = exchange.request().headers;
    exchange.respond(
        {.status = 418,
         .headers = {{"X-One", "1"}, {"X-One", "2"}},
         .body = concat(exchange.request().method, exchange.request().path, exchange.request().body)});
  });
  const auto answer = client_.send({.method = "POST",
                                    .url = url("/a?b=c"),
                                    .headers = {{"X-Mine", "yes"}, {"X-Empty", ""}},
                                    .body = std::string("b\0dy", 4)},
                                   stop_.get_token());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 418);
  EXPECT_EQ(answer->body, std::string("POST/ab\0dy", 10));
  EXPECT_EQ(answer->headers.count("x-one"), 2U);
  EXPECT_EQ(*seen.find("x-mine"), "yes");
  ASSERT_NE(seen.find("x-empty"), nullptr);
  EXPECT_EQ(*seen.find("x-empty"), "");
  EXPECT_EQ(seen.find("expect"), nullptr);
  EXPECT_EQ(seen.find("content-type"), nullptr);
  EXPECT_EQ(*seen.find("content-length"), "4");
}

TEST_F(ClientTest, SendsEveryMethod) {
  start(echo);
  for (const std::string method : {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "MCP"}) {
    for (const std::string body : {"", "body"}) {
      const auto answer = client_.send({.method = method, .url = url(), .body = body}, {});
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->body, concat(method, " /  ", body));
    }
  }
  const auto head = client_.send({.method = "HEAD", .url = url()}, {});
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(*head->headers.find("content-length"), "8");
  EXPECT_EQ(head->body, "");
}

TEST_F(ClientTest, SendsLongBodiesWithoutExpectContinue) {
  start(echo);
  const std::string body(3'000'000, 'x');
  const auto answer = client_.send({.method = "POST", .url = url(), .body = body}, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body.size(), body.size() + 8);
}

TEST_F(ClientTest, ReusesConnections) {
  start(echo);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client_.send({.url = url()}, {}));
  EXPECT_EQ(server_->open_connections(), 1U);
  // Also from other threads, one after another.
  for (int i = 0; i < 5; ++i) std::jthread([&] { ASSERT_TRUE(client_.send({.url = url()}, {})); });
  EXPECT_EQ(server_->open_connections(), 1U);
}

TEST_F(ClientTest, ServesManyThreadsAtOnce) {
  start(echo);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const auto answer = client_.send({.url = url(concat("/", t, "/", i))}, {});
          if (answer && answer->body == concat("GET /", t, "/", i, "  ")) ++good;
        }
      });
  }
  EXPECT_EQ(good, 320);
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() <= 8; }));
}

TEST_F(ClientTest, StreamsOnTheCallersThread) {
  std::atomic<int> taken = 0;
  start([&](Exchange& exchange) {
    exchange.begin({.headers = {{"Content-Type", "text/event-stream"}}});
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(comes_true([&] { return taken == i; }));
      EXPECT_TRUE(exchange.write(to_text(SentEvent{.data = std::to_string(i)})));
    }
  });
  SseReader reader;
  std::vector<std::string> events;
  std::set<std::thread::id> threads;
  const Sink sink{.on_head =
                      [&](const Response& head) {
                        EXPECT_EQ(head.status, 200);
                        EXPECT_EQ(*head.headers.find("content-type"), "text/event-stream");
                        threads.insert(std::this_thread::get_id());
                      },
                  .on_body =
                      [&](std::string_view piece) {
                        threads.insert(std::this_thread::get_id());
                        return reader.feed(piece, [&](SentEvent&& event) {
                          events.push_back(event.data);
                          ++taken;
                        });
                      }};
  const auto streamed = client_.stream({.url = url()}, sink, {});
  ASSERT_TRUE(streamed) << streamed.error().message;
  EXPECT_EQ(events, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_F(ClientTest, StopsInTheMiddleOfAStream) {
  std::atomic<bool> server_stopped = false;
  start([&](Exchange& exchange) {
    exchange.begin({.body = "first"});
    server_stopped = comes_true([&] { return exchange.stop().stop_requested(); });
  });
  const Sink sink{.on_body = [&](std::string_view) {
    stop_.request_stop();
    return true;
  }};
  const auto streamed = client_.stream({.url = url()}, sink, stop_.get_token());
  ASSERT_FALSE(streamed);
  EXPECT_EQ(streamed.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(streamed.error().message, concat("The request to 127.0.0.1:", server_->port(), " was cancelled"));
  EXPECT_TRUE(comes_true([&] { return server_stopped.load(); }));
}

TEST_F(ClientTest, StopsWhileItWaits) {
  std::atomic<bool> running = false;
  start([&](Exchange& exchange) {
    running = true;
    EXPECT_TRUE(comes_true([&] { return exchange.stop().stop_requested(); }));
  });
  std::jthread stopper([&] {
    EXPECT_TRUE(comes_true([&] { return running.load(); }));
    stop_.request_stop();
  });
  const auto answer = client_.send({.url = url()}, stop_.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kCancelled);
  const auto again = client_.send({.url = url()}, stop_.get_token());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kCancelled);
}

TEST_F(ClientTest, EndsWhenTheSinkReturnsFalse) {
  start([&](Exchange& exchange) {
    exchange.begin({});
    while (exchange.write("endless ")) continue;
  });
  std::size_t size = 0;
  const Sink sink{.on_body = [&](std::string_view piece) { return (size += piece.size()) < 1000; }};
  EXPECT_TRUE(client_.stream({.url = url()}, sink, {}));
  EXPECT_GE(size, 1000U);
  const Sink thrower{.on_body = [](std::string_view) -> bool { throw std::runtime_error("sink"); }};
  EXPECT_THROW(static_cast<void>(client_.stream({.url = url()}, thrower, {})), std::runtime_error);
}

TEST_F(ClientTest, LimitsTheSizeOfTheAnswer) {
  start([&](Exchange& exchange) { exchange.respond({.body = std::string(1001, 'x')}); });
  EXPECT_TRUE(client_.send({.url = url(), .body_limit = 1001}, {}));
  const auto answer = client_.send({.url = url(), .body_limit = 1000}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The answer is longer than 1,000 bytes");
  const FixedAnswerServer parrot(concat(
      "HTTP/1.1 200 OK\r\n",
      [] {
        std::string fields;
        for (int i = 0; i < 400; ++i) fields += concat("X-", i, ": ", std::string(1000, 'x'), "\r\n");
        return fields;
      }(),
      "\r\n"));
  const auto long_head = client_.send({.url = parrot.url()}, {});
  ASSERT_FALSE(long_head);
  EXPECT_TRUE(long_head.error().message.contains("bytes of headers")) << long_head.error().message;
}

TEST_F(ClientTest, EnforcesTimeLimits) {
  start([&](Exchange& exchange) {
    if (exchange.request().path == "/drip") exchange.begin({.body = "a"});
    while (!exchange.stop().stop_requested()) {
      std::this_thread::sleep_for(milliseconds(10));
      if (exchange.request().path == "/drip") exchange.write("a");
    }
  });
  const auto total = client_.send({.url = url("/drip"), .total_time = milliseconds(150)}, {});
  ASSERT_FALSE(total);
  EXPECT_EQ(total.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(total.error().message,
            concat("The request to 127.0.0.1:", server_->port(), " took longer than 150 ms"));
  const auto silence = client_.send({.url = url("/mute"), .silence_time = milliseconds(100)}, {});
  ASSERT_FALSE(silence);
  EXPECT_EQ(silence.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(silence.error().message, concat("Nothing came from 127.0.0.1:", server_->port(), " for 100 ms"));
  // Small pieces are not silence.
  const auto drip = client_.send(
      {.url = url("/drip"), .total_time = milliseconds(1'400), .silence_time = milliseconds(1'300)}, {});
  ASSERT_FALSE(drip);
  EXPECT_TRUE(drip.error().message.contains("took longer than 1.4 s")) << drip.error().message;
}

TEST_F(ClientTest, NamesTheUnreachableHostButNeverThePassword) {
  const DeadPort dead;
  const std::uint16_t port = dead.number();
  const auto answer = client_.send({.url = concat("http://me:s3cret@127.0.0.1:", port, "/?key=s3cret"),
                                    .headers = {{"Authorization", "Bearer s3cret"}}},
                                   {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().message, concat("Cannot connect to 127.0.0.1:", port, ": Connection refused"));
  EXPECT_TRUE(answer.error().transient);
  const auto nobody = client_.send({.url = "http://nobody.invalid/?key=s3cret"}, {});
  ASSERT_FALSE(nobody);
  EXPECT_TRUE(nobody.error().message.contains("nobody.invalid")) << nobody.error().message;
  EXPECT_FALSE(nobody.error().message.contains("s3cret"));
  EXPECT_TRUE(nobody.error().transient);
}

TEST_F(ClientTest, ReportsHowTheConnectionFailed) {
  const FixedAnswerServer silent("");
  const auto nothing = client_.send({.url = silent.url()}, {});
  ASSERT_FALSE(nothing);
  EXPECT_TRUE(nothing.error().message.ends_with("closed the connection without an answer"))
      << nothing.error().message;
  EXPECT_TRUE(nothing.error().transient);
  const FixedAnswerServer half("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  const auto partial = client_.send({.url = half.url()}, {});
  ASSERT_FALSE(partial);
  EXPECT_TRUE(partial.error().message.ends_with("ended before it was complete")) << partial.error().message;
  EXPECT_TRUE(partial.error().transient);
  const FixedAnswerServer other("SSH-2.0-OpenSSH_9.2\r\n");
  const auto foreign = client_.send({.url = other.url()}, {});
  ASSERT_FALSE(foreign);
  EXPECT_TRUE(foreign.error().message.ends_with("is not HTTP")) << foreign.error().message;
  EXPECT_FALSE(foreign.error().transient);
  const auto tls = client_.send({.url = replace_all(other.url(), "http:", "https:")}, {});
  ASSERT_FALSE(tls);
  EXPECT_TRUE(tls.error().message.contains("TLS")) << tls.error().message;
}

TEST_F(ClientTest, DoesNotFollowRedirectsAndSkipsInterimAnswers) {
  const FixedAnswerServer parrot(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 2\r\n\r\nhi");
  const auto answer = client_.send({.url = parrot.url()}, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->body, "hi");
  EXPECT_EQ(answer->headers.find("link"), nullptr);
}

TEST_F(ClientTest, RefusesInvalidRequests) {
  const auto code = [&](const ClientRequest& request) {
    const auto answer = client_.send(request, {});
    if (answer) return std::string("sent");
    EXPECT_FALSE(answer.error().message.contains("s3cret")) << answer.error().message;
    return std::string(to_string(answer.error().code));
  };
  for (const std::string bad :
       {"", "file:///etc/passwd", "ftp://localhost/", "gopher://localhost/", "http://", "/path",
        "http://a b/", "http://u:s3cret@/", "telnet://localhost:1", "dict://localhost/x",
        "http://localhost:99999/", "http://local\nhost/"})
    EXPECT_EQ(code({.url = bad}), "INVALID_ARGUMENT") << bad;
  EXPECT_EQ(code({.method = "GET /evil HTTP/1.1\r\nX:", .url = "http://localhost/"}), "INVALID_ARGUMENT");
  EXPECT_EQ(code({.url = "http://localhost/", .headers = {{"X", "a\r\nY: s3cret"}}}), "INVALID_ARGUMENT");
  EXPECT_EQ(code({.url = "http://localhost/", .headers = {{"X: y", "s3cret"}}}), "INVALID_ARGUMENT");
}

TEST_F(ClientTest, UsesAProxyForLoopbackOnlyIfConfigured) {
  std::string target;
  start([&](Exchange& exchange) {
    target = concat(*exchange.request().headers.find("host"), exchange.request().path);
    exchange.respond({.body = "proxy"});
  });
  Client proxied({.proxy = concat("http://127.0.0.1:", server_->port())});
  const auto answer = proxied.send({.url = "http://far.example/x"}, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(target, "far.example/x");
}

TEST_F(ClientTest, ConnectsToAUnixSocket) {
  const std::string directory = concat("/tmp/", random_id("helve_http"));
  ASSERT_TRUE(make_private_directories(directory));
  const std::string path = directory + "/socket";
  start(echo, {.unix_path = path});
  const auto answer = client_.send({.url = "http://localhost/x", .unix_socket = path}, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "GET /x  ");
  server_.reset();
  const auto gone = client_.send({.url = "http://localhost/x", .unix_socket = path}, {});
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().message.contains(path)) << gone.error().message;
  std::filesystem::remove_all(directory);
}

TEST_F(ClientTest, ReconnectsIfAnIdleConnectionWasClosed) {
  start(echo, {.limits = {.idle_time = milliseconds(500)}});
  ASSERT_TRUE(client_.send({.url = url()}, {}));
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() == 0; }));
  EXPECT_TRUE(client_.send({.url = url()}, {}));
}

TEST(CurlLibrary, ExplainsWhatToInstall) {
  const auto missing = load_curl_from("libcurl-that-is-not-there.so.4");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(missing.error().message.starts_with("HTTP requests need libcurl, which cannot be loaded: "))
      << missing.error().message;
  EXPECT_EQ(missing.error().hint, "Install libcurl: apt-get install libcurl4");
  const auto other = load_curl_from("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().message.contains("has no curl_global_init")) << other.error().message;
}

TEST(TransferError, FormatsTimesReadably) {
  EXPECT_EQ(timeout_error("x ", milliseconds(1500)).message, "x 1.5 s");
  EXPECT_EQ(timeout_error("x ", milliseconds(30'000)).message, "x 30 s");
  const Error late =
      transfer_error({.code = CURLE_OPERATION_TIMEDOUT, .place = "a", .connect_time = milliseconds(5000)});
  EXPECT_EQ(late.message, "Connecting to a took longer than 5 s");
  EXPECT_TRUE(late.transient);
}

}  // namespace
}  // namespace helve::http
