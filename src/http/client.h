// An HTTP client over libcurl: streaming, with cancellation within milliseconds, proxies and certificates.
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
  std::string unix_socket = {};  // instead of the host's address
  std::chrono::milliseconds connect_time{5'000};
  std::optional<std::chrono::milliseconds> total_time = {};
  std::optional<std::chrono::milliseconds> silence_time = {};  // between two pieces of the answer
  std::size_t body_limit = std::size_t{64} << 20;              // for send()
};

// Proxies come from the usual variables (https_proxy, no_proxy, …) unless one is named here.
struct ClientOptions {
  std::string proxy = {};
  std::string ca_file = {};
};

struct Sink {
  std::function<void(const Response& head)> on_head = {};    // its body is empty
  std::function<bool(std::string_view piece)> on_body = {};  // false: enough
};

// May be used from all threads; connections are kept and used again. libcurl is loaded by the first request.
class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // An answer of any status is a success; UNAVAILABLE (transient where trying again may help) when there is
  // no answer, TIMEOUT, CANCELLED. Redirects are not followed.
  [[nodiscard]] Expected<Response> send(const ClientRequest& request, const std::stop_token& stop);
  // The same in pieces as they come; both functions of the sink are called on the caller's thread.
  [[nodiscard]] Expected<void> stream(const ClientRequest& request, const Sink& sink,
                                      const std::stop_token& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace helve::http
