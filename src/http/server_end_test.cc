#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "http/testing.h"

namespace helve::http {
namespace {

using std::chrono::milliseconds;

// A handler that runs until it is stopped.
class Waiting {
 public:
  Handler handler() {
    return [this](Exchange& exchange) {
      ++running_;
      const bool stopped = comes_true([&] { return exchange.stop().stop_requested(); });
      if (stopped) ++stopped_;
      exchange.respond({.body = "stopped"});
    };
  }
  [[nodiscard]] bool runs(int count = 1) const {
    return comes_true([&] { return running_ >= count; });
  }
  [[nodiscard]] bool is_stopped(int count = 1) const {
    return comes_true([&] { return stopped_ >= count; });
  }

 private:
  std::atomic<int> running_ = 0;
  std::atomic<int> stopped_ = 0;
};

class ServerEndTest : public HttpServerTest {
 public:
  ~ServerEndTest() override { server_.reset(); }

  Waiting waiting_;
};

TEST_F(ServerEndTest, StopsTheExchangeOfAClientThatCloses) {
  start(waiting_.handler());
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(waiting_.runs());
  client.close();
  EXPECT_TRUE(waiting_.is_stopped());
  EXPECT_TRUE(comes_true([&] { return server_->open_connections() == 0; }));
}

TEST_F(ServerEndTest, StopsTheExchangeOfAClientThatResets) {
  start(waiting_.handler());
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(waiting_.runs());
  client.reset();
  EXPECT_TRUE(waiting_.is_stopped());
}

TEST_F(ServerEndTest, DetectsADisconnectBehindPipelinedBytes) {
  start(waiting_.handler());
  RawClient client = connect();
  client.send(concat(kGet, kGet, "GET / HT"));
  ASSERT_TRUE(waiting_.runs());
  client.close();
  EXPECT_TRUE(waiting_.is_stopped(2));
}

TEST_F(ServerEndTest, StillAnswersAClientThatClosedItsSendingSide) {
  start(echo);
  RawClient client = connect();
  client.send(concat(kGet, kGet));
  client.end_sending();
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(ServerEndTest, PipelinedBytesDoNotStopAnExchange) {
  std::atomic<bool> go_on = false;
  std::atomic<int> stops = 0;
  std::atomic<bool> running = false;
  start([&](Exchange& exchange) {
    running = true;
    EXPECT_TRUE(comes_true([&] { return go_on.load(); }));
    if (exchange.stop().stop_requested()) ++stops;
    exchange.respond({});
  });
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(comes_true([&] { return running.load(); }));
  for (int i = 0; i < 20; ++i) client.send(kGet);
  go_on = true;
  for (int i = 0; i < 21; ++i) EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  EXPECT_EQ(stops, 0);
}

TEST_F(ServerEndTest, EndsWhileConnectionsAreBusy) {
  start(waiting_.handler());
  RawClient idle = connect();
  RawClient head = connect();
  head.send("GET / HTTP/1.1\r\nHo");
  RawClient body = connect();
  body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  RawClient running = connect();
  running.send(kGet);
  ASSERT_TRUE(waiting_.runs());
  ASSERT_TRUE(comes_true([&] { return server_->open_connections() == 4; }));
  server_.reset();
  EXPECT_TRUE(waiting_.is_stopped());
  // Its last output arrives.
  EXPECT_TRUE(running.read_all().ends_with("stopped"));
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_EQ(head.read_all(), "");
  EXPECT_EQ(body.read_all(), "");
}

TEST_F(ServerEndTest, EndsWhileAWriteIsBlocked) {
  std::atomic<std::size_t> pieces = 0;
  start([&](Exchange& exchange) {
    exchange.begin({});
    const std::string piece(1'000'000, 'x');
    while (exchange.write(piece)) ++pieces;
  });
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(comes_true([&] { return pieces > 0; }));
  server_.reset();
}

TEST_F(ServerEndTest, WaitsForHandlers) {
  std::atomic<bool> running = false;
  std::atomic<bool> done = false;
  start([&](Exchange& exchange) {
    running = true;
    EXPECT_TRUE(comes_true([&] { return exchange.stop().stop_requested(); }));
    std::this_thread::sleep_for(milliseconds(400));
    done = true;
  });
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(comes_true([&] { return running.load(); }));
  server_.reset();
  EXPECT_TRUE(done);
}

class UnixServerTest : public ServerEndTest {
 public:
  void SetUp() override {
    directory_ = concat("/tmp/", random_id("helve_http"));
    ASSERT_TRUE(make_private_directories(directory_));
    path_ = directory_ + "/socket";
  }
  ~UnixServerTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  std::string directory_;
  std::string path_;
};

TEST_F(UnixServerTest, ListensOnAPrivateSocket) {
  const mode_t before = ::umask(0);
  start(echo, {.unix_path = path_});
  ::umask(before);
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  RawClient client(path_);
  client.send(kGet);
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(UnixServerTest, ReplacesADeadSocketButNotALiveOneOrAFile) {
  {
    // A server that was killed leaves its file.
    const UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  start(echo, {.unix_path = path_});
  const auto second = Server::start({.unix_path = path_}, echo, logger_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            concat("Cannot listen on ", path_, ": another server is listening there"));
  RawClient client(path_);
  client.send(kGet);
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 200"));
  const std::string file = directory_ + "/file";
  std::ofstream(file) << "precious";
  const auto third = Server::start({.unix_path = file}, echo, logger_);
  ASSERT_FALSE(third);
  EXPECT_TRUE(third.error().message.contains("not a socket")) << third.error().message;
  EXPECT_TRUE(std::filesystem::exists(file));
  const auto fourth = Server::start({.unix_path = directory_ + "/" + std::string(200, 'x')}, echo, logger_);
  ASSERT_FALSE(fourth);
  EXPECT_TRUE(fourth.error().message.contains("at most 107 bytes")) << fourth.error().message;
}

TEST_F(UnixServerTest, KeepsAFileThatIsNoLongerItsOwn) {
  start(echo, {.unix_path = path_});
  std::filesystem::remove(path_);
  std::ofstream(path_) << "another file";
  server_.reset();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(UnixServerTest, DistinguishesAClosedClientFromOneThatOnlyReceives) {
  std::atomic<bool> running = false;
  std::atomic<bool> go_on = false;
  std::atomic<bool> stopped = false;
  start(
      [&](Exchange& exchange) {
        running = true;
        EXPECT_TRUE(comes_true([&] { return go_on || exchange.stop().stop_requested(); }));
        stopped = exchange.stop().stop_requested();
        exchange.respond({});
      },
      {.unix_path = path_});
  RawClient listening(path_);
  listening.send(kGet);
  listening.end_sending();
  ASSERT_TRUE(comes_true([&] { return running.load(); }));
  std::this_thread::sleep_for(milliseconds(20));
  go_on = true;
  EXPECT_TRUE(listening.read_answer().starts_with("HTTP/1.1 200"));
  EXPECT_FALSE(stopped);
  running = go_on = false;
  RawClient closing(path_);
  closing.send(kGet);
  ASSERT_TRUE(comes_true([&] { return running.load(); }));
  closing.close();
  EXPECT_TRUE(comes_true([&] { return stopped.load(); }));
}

}  // namespace
}  // namespace helve::http
