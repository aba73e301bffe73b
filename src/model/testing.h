// Helpers for model tests: a server that sends exactly the given bytes in pieces of a given size.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "model/remote_model.h"

namespace helve::model {

// The answer to one request.
struct Script {
  std::string bytes = {};  // the complete answer, with its head
  std::size_t piece = 0;   // bytes per send; 0: all at once
  bool waits = false;      // keeps the connection open until the client closes it
  std::string path = {};   // answers only requests to this path; empty: any
};

// The head of a stream that ends when the connection closes.
inline std::string stream_head(std::string_view more = "") {
  return concat("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n", more, "Connection: close\r\n\r\n");
}
inline std::string whole_answer(int status, std::string_view body, std::string_view more = "",
                                std::string_view type = "application/json") {
  return concat("HTTP/1.1 ", status, " X\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(),
                "\r\n", more, "Connection: close\r\n\r\n", body);
}
// Events of the Chat Completions API, one per line of JSON.
inline std::string data_events(const std::vector<std::string>& events, std::string_view line_end = "\n") {
  std::string text;
  for (const std::string& event : events) text += concat("data: ", event, line_end, line_end);
  return text;
}
// Events of the Messages API, which also carry their type as event name.
inline std::string named_events(const std::vector<std::string>& events, std::string_view line_end = "\n") {
  std::string text;
  for (const std::string& event : events) {
    const auto json = parse_json(event);
    const Json* const type = json ? json->find("type") : nullptr;
    if (type != nullptr) text += concat("event: ", type->as_string(), line_end);
    text += concat("data: ", event, line_end, line_end);
  }
  return text;
}

// Plays one script per request, one connection at a time.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<Script> scripts)
      : scripts_(scripts.begin(), scripts.end()), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 16), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~ScriptedServer() {
    thread_.request_stop();
    ::shutdown(socket_.get(), SHUT_RDWR);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url(std::string_view path = "") const {
    return concat("http://127.0.0.1:", port_, path);
  }
  // The received heads and bodies.
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  [[nodiscard]] Json body(std::size_t number) const {
    const std::string request = requests().at(number);
    return parse_json(request.substr(request.find("\r\n\r\n") + 4)).value();
  }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const UniqueFd peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!peer) return;
      const int yes = 1;
      ::setsockopt(peer.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      const std::string request = read_request(peer.get());
      if (request.empty()) continue;
      play(peer.get(), next_script(request), stop);
    }
  }

  Script next_script(const std::string& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const std::string path = request.substr(request.find(' ') + 1,
                                            request.find(' ', request.find(' ') + 1) - request.find(' ') - 1);
    const auto found = std::ranges::find_if(
        scripts_, [&](const Script& each) { return each.path.empty() || each.path == path; });
    if (found == scripts_.end()) return {.bytes = whole_answer(404, "")};
    Script script = *found;
    // Scripts for a path can be used repeatedly.
    if (script.path.empty()) scripts_.erase(found);
    return script;
  }

  static std::string read_request(int peer) {
    std::string text;
    std::size_t whole = std::string::npos;
    while (text.size() < whole) {
      char bytes[65536];
      const ssize_t count = ::recv(peer, bytes, sizeof bytes, 0);
      if (count <= 0) return {};
      text.append(bytes, static_cast<std::size_t>(count));
      const std::size_t head = text.find("\r\n\r\n");
      if (whole != std::string::npos || head == std::string::npos) continue;
      std::size_t length = 0;
      const std::string lower = to_lower(text.substr(0, head));
      if (const std::size_t field = lower.find("content-length: "); field != std::string::npos)
        std::from_chars(lower.data() + field + 16, lower.data() + lower.size(), length);
      whole = head + 4 + length;
    }
    return text;
  }

  static void play(int peer, const Script& script, const std::stop_token& stop) {
    const std::size_t size = script.piece == 0 ? script.bytes.size() : script.piece;
    for (std::size_t at = 0; at < script.bytes.size(); at += size) {
      const std::string_view piece = std::string_view(script.bytes).substr(at, size);
      if (::send(peer, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) return;
    }
    while (script.waits && !stop.stop_requested()) {
      pollfd waiting{.fd = peer, .events = POLLIN, .revents = 0};
      char byte = 0;
      if (::poll(&waiting, 1, 10) > 0 && ::recv(peer, &byte, 1, 0) <= 0) return;
    }
  }

  mutable std::mutex mutex_;  // guards scripts_ and requests_
  std::deque<Script> scripts_;
  std::vector<std::string> requests_;
  UniqueFd socket_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

// Records the callbacks of a listener as one text: "text:Hi|call:exec|".
struct ListenerLog {
  std::string log = {};
  std::vector<Error> problems = {};
  std::vector<std::chrono::milliseconds> pauses = {};

  [[nodiscard]] Listener listener() {
    return {.on_text = [this](std::string_view piece) { log += concat("text:", piece, "|"); },
            .on_reasoning = [this](std::string_view piece) { log += concat("thought:", piece, "|"); },
            .on_call = [this](const std::string& tool) { log += concat("call:", tool, "|"); },
            .on_retry =
                [this](const Error& problem, std::chrono::milliseconds pause) {
                  problems.push_back(problem);
                  pauses.push_back(pause);
                }};
  }
};

// A reply without its raw message as one comparable text.
inline std::string summary(const Reply& reply) {
  std::string text = concat("text=", reply.text, " thought=", reply.reasoning);
  for (const ToolCall& call : reply.calls)
    text += concat(" call=", call.id, ":", call.name, ":", call.arguments);
  constexpr std::string_view kNames[] = {"end", "calls", "length", "full", "refused", "paused"};
  return concat(text, " stop=", kNames[static_cast<std::size_t>(reply.stop)],
                " usage=", reply.usage.input_tokens, "/", reply.usage.cached_tokens, "/",
                reply.usage.output_tokens);
}

}  // namespace helve::model
