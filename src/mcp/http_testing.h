// Helpers for tests of the HTTP endpoint: a client with one connection, and a fixture that serves tools.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "http/guard.h"
#include "http/testing.h"
#include "mcp/http_endpoint.h"
#include "mcp/testing.h"

namespace helve::mcp {

struct Answered {
  int status = 0;
  std::string text = {};  // head and body

  [[nodiscard]] std::string header(std::string_view name) const {
    const std::size_t at = text.find(concat("\r\n", name, ": "));
    if (at == std::string::npos) return {};
    const std::size_t from = at + name.size() + 4;
    return text.substr(from, text.find("\r\n", from) - from);
  }
  [[nodiscard]] Json body() const { return testing::json(text.substr(text.find("\r\n\r\n") + 4)); }
};

// A client with one persistent connection.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : raw_(port) {}

  Answered send(std::string_view method, std::string_view body, std::string_view more_headers = {}) {
    raw_.send(concat(method, " /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
                     "Accept: application/json, text/event-stream\r\nContent-Length: ", body.size(), "\r\n",
                     more_headers, "\r\n", body));
    Answered answered{.text = raw_.read_answer()};
    if (answered.text.size() > 12)
      std::from_chars(answered.text.data() + 9, answered.text.data() + 12, answered.status);
    return answered;
  }
  Answered post(std::string_view body, const std::string& session = {}) {
    return send("POST", body, session.empty() ? "" : concat("Mcp-Session-Id: ", session, "\r\n"));
  }
  std::string open_session() {
    return post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})")
        .header("Mcp-Session-Id");
  }
  http::RawClient& raw() { return raw_; }

 private:
  http::RawClient raw_;
};

class HttpEndpointTest : public ::testing::Test {
 protected:
  void start(Tools& tools) {
    server_ = std::make_unique<Server>(ServerOptions{.version = "1"}, Server::Offers{.tools = &tools});
    endpoint_ = std::make_unique<HttpEndpoint>(*server_, HttpSessions::Limits{.sessions = 32});
    auto started = http::Server::start(
        {.admit = [this](const http::Request& request) { return guard_.refusal(request); }},
        [this](http::Exchange& exchange) { endpoint_->handle(exchange); }, logger_);
    ASSERT_TRUE(started) << started.error().message;
    http_ = *std::move(started);
  }
  [[nodiscard]] HttpClient connect() const { return HttpClient(http_->port()); }

  testing::TestTools small_;
  http::Guard guard_;
  Logger logger_{LogLevel::kError};
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpEndpoint> endpoint_;
  std::unique_ptr<http::Server> http_;  // ends first
};

}  // namespace helve::mcp
