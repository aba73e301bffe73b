// Helpers for HTTP tests: a raw client socket and a test fixture with a server.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "http/server.h"

namespace helve::http {

inline constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// Long enough for everything; a hanging test fails after this time.
inline constexpr int kTestTimeout = 20'000;

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  explicit RawClient(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  [[nodiscard]] int socket() const { return socket_.get(); }
  void close() { socket_.reset(); }
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void end_sending() const { ::shutdown(socket_.get(), SHUT_WR); }

  // Returns false if the server no longer accepts data.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads up to and including the marker, or until the connection ends.
  std::string read_to(std::string_view marker) {
    for (;;) {
      if (const std::size_t found = pending_.find(marker); found != std::string::npos)
        return take(found + marker.size());
      if (!read_more()) return take(pending_.size());
    }
  }
  // Reads the head and body of an answer with a length.
  std::string read_answer(bool has_body = true) {
    std::string text = read_to("\r\n\r\n");
    const std::string lower = to_lower(text);
    const std::size_t field = lower.find("content-length: ");
    if (!has_body || field == std::string::npos) return text;
    std::size_t length = 0;
    std::from_chars(text.data() + field + 16, text.data() + text.size(), length);
    while (pending_.size() < length && read_more()) continue;
    return text + take(length);
  }
  // Reads until the server ends the connection.
  std::string read_all() {
    while (read_more()) continue;
    return take(pending_.size());
  }
  // Whether the server has ended the connection. Does not wait.
  [[nodiscard]] bool is_ended() const {
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  [[nodiscard]] bool was_reset() const { return was_reset_; }

 private:
  std::string take(std::size_t count) {
    std::string text = pending_.substr(0, count);
    pending_.erase(0, text.size());
    return text;
  }
  bool read_more() {
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kTestTimeout) <= 0) {
      ADD_FAILURE() << "the server sent nothing more; so far: " << pending_;
      return false;
    }
    char bytes[65536];
    const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    was_reset_ = was_reset_ || (count < 0 && errno == ECONNRESET);
    if (count <= 0) return false;
    pending_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  UniqueFd socket_;
  std::string pending_ = {};
  bool was_reset_ = false;
};

// Waits until another thread makes the condition true; false after the time limit.
template <class Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTestTimeout);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

[[nodiscard]] inline std::size_t count_entries(const char* directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

// Answers with "METHOD path query body".
inline void echo(Exchange& exchange) {
  const Request& request = exchange.request();
  exchange.respond(
      {.headers = {{"Content-Type", "text/plain"}},
       .body = concat(request.method, ' ', request.path, ' ', request.query, ' ', request.body)});
}

class HttpServerTest : public testing::Test {
 protected:
  void start(Handler handler, ServerOptions options = {}) {
    auto started = Server::start(std::move(options), std::move(handler), logger_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  [[nodiscard]] RawClient connect() const { return RawClient(server_->port()); }
  // Everything that one connection receives for these bytes.
  [[nodiscard]] std::string answer_to(std::string_view bytes) const {
    RawClient client = connect();
    client.send(bytes);
    return client.read_all();
  }
  void expect_status(std::string_view bytes, int status) const {
    EXPECT_EQ(answer_to(bytes).substr(0, 13), concat("HTTP/1.1 ", status, ' ')) << bytes;
  }

  Logger logger_{LogLevel::kError};
  std::unique_ptr<Server> server_;
};

}  // namespace helve::http
