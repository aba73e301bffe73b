// Who may speak to a local server: a web page in the user's browser must not, whatever name it goes by.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace helve::http {

// May be used from all threads, since nobody changes it.
struct Guard {
  // Besides localhost, 127.0.0.1 and [::1]: "name" with any port, or "name:port".
  std::vector<std::string> hosts = {};
  // Besides those of loopback: "https://app.example".
  std::vector<std::string> origins = {};
  std::string token = {};  // empty: none is wanted, unless others' are checked
  // What is wrong with a token that is not ours, or nothing. Null: it is not valid.
  struct TokenProblem {
    int status = 401;  // 403 when it does not allow enough, 503 when nobody can say
    std::string reason = {};
    std::string scope = {};  // what it would have to allow
  };
  std::function<std::optional<TokenProblem>(std::string_view token)> check_token = {};
  // Where a client learns how to get a token (RFC 9728); goes into the challenge.
  std::string resource_metadata = {};
  // Read without a token; a body needs one, so that strangers cannot fill the memory.
  std::vector<std::string> open_paths = {};

  // The answer that refuses the request, or nothing when it may pass.
  [[nodiscard]] std::optional<Response> refusal(const Request& request) const;

 private:
  [[nodiscard]] bool is_open(const Request& request) const;
  [[nodiscard]] bool knows_host(std::string_view host) const;
  [[nodiscard]] bool knows_origin(std::string_view origin) const;
  [[nodiscard]] std::optional<TokenProblem> problem_of(std::optional<std::string_view> given) const;
  [[nodiscard]] std::optional<Response> refuse_token(const Request& request) const;
};

// Whether "localhost", "127.0.0.1", "[::1]" or "::1", however written, is all there is; without a port.
[[nodiscard]] bool is_loopback_name(std::string_view host);

}  // namespace helve::http
