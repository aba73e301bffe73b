// Access control for a local server: allowed hosts, origins and tokens. Keeps web pages in the user's browser
// out, even with DNS rebinding.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace helve::http {

// Immutable once in use, so it may be used from any thread.
struct Guard {
  // Allowed in addition to localhost, 127.0.0.1 and [::1]: "name" with any port, or "name:port".
  std::vector<std::string> hosts = {};
  // Allowed in addition to loopback origins: "https://app.example".
  std::vector<std::string> origins = {};
  std::string token = {};  // empty: no token is required, unless check_token is set
  // Why a token other than `token` is refused. Without check_token, every other token is invalid.
  struct TokenProblem {
    int status = 401;  // 403: insufficient scope; 503: the token cannot be checked now
    std::string reason = {};
    std::string scope = {};  // the required scope
  };
  std::function<std::optional<TokenProblem>(std::string_view token)> check_token = {};
  // The URL in the challenge where a client learns how to get a token (RFC 9728).
  std::string resource_metadata = {};
  // Readable without a token. Requests with a body still need one, so that clients cannot fill the memory.
  std::vector<std::string> open_paths = {};

  // The answer that refuses the request; nothing if it is allowed.
  [[nodiscard]] std::optional<Response> refusal(const Request& request) const;
  // Whether anybody may send the request, because it only reads an open path.
  [[nodiscard]] bool is_open(const Request& request) const;

 private:
  [[nodiscard]] bool allows_host(std::string_view host) const;
  [[nodiscard]] bool allows_origin(std::string_view origin) const;
  [[nodiscard]] std::optional<TokenProblem> problem_of(std::optional<std::string_view> given) const;
  [[nodiscard]] std::optional<Response> refuse_token(const Request& request) const;
};

// Whether this is "localhost", "127.0.0.1", "[::1]" or "::1" in any spelling, without a port.
[[nodiscard]] bool is_loopback_name(std::string_view host);

}  // namespace helve::http
