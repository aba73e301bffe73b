// An HTTP client based on libcurl, with streaming, fast cancellation, proxies and custom certificates.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "http/message.h"

namespace helve::http {

struct ClientRequest {
  std::string method = "GET";
  std::string url = {};
  Headers headers = {};
  std::string body = {};
  std::string unix_socket = {};  // connect to this socket instead of the host
  std::chrono::milliseconds connect_time{5'000};
  std::optional<std::chrono::milliseconds> total_time = {};
  std::optional<std::chrono::milliseconds> silence_time = {};  // between two pieces of the answer
  std::size_t body_limit = std::size_t{64} << 20;              // for send()
};

// Proxies come from the usual environment variables (https_proxy, no_proxy, …) unless one is set here.
struct ClientOptions {
  std::string proxy = {};
  std::string ca_file = {};
};

struct Sink {
  std::function<void(const Response& head)> on_head = {};    // without the body
  std::function<bool(std::string_view piece)> on_body = {};  // false: end the transfer
};

// May be used from any thread; reuses connections. The first request loads libcurl.
class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Succeeds for an answer of any status. Fails with UNAVAILABLE (transient if a retry may help), TIMEOUT or
  // CANCELLED. Does not follow redirects.
  [[nodiscard]] Expected<Response> send(const ClientRequest& request, const std::stop_token& stop);
  // The same in pieces as they arrive. Calls the sink on the caller's thread.
  [[nodiscard]] Expected<void> stream(const ClientRequest& request, const Sink& sink,
                                      const std::stop_token& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace helve::http
