// Checks OAuth access tokens by introspection (RFC 7662) and describes their issuer (RFC 9728).
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/client.h"
#include "http/guard.h"

namespace helve::mcp {

struct AuthorizationOptions {
  std::string server = {};     // issuer URL
  std::string resource = {};   // URL of this server, which tokens must name as their audience
  std::string client_id = {};  // credentials for the introspection endpoint
  std::string client_secret = {};
  std::vector<std::string> scopes = {};  // a token needs all of them
};

// May be used from all threads. An accepted token is checked again after a minute.
class TokenCheck {
 public:
  // INVALID_ARGUMENT if a URL is invalid, or if secrets would be sent unencrypted.
  [[nodiscard]] static Expected<std::unique_ptr<TokenCheck>> create(AuthorizationOptions options);

  // The protected resource metadata (RFC 9728) and where it is served.
  [[nodiscard]] std::string metadata_path() const;
  [[nodiscard]] std::string metadata_url() const;
  [[nodiscard]] Json metadata() const;

  [[nodiscard]] std::optional<http::Guard::TokenProblem> check(std::string_view token);

 private:
  using Clock = std::chrono::steady_clock;
  struct Verdict {
    std::optional<http::Guard::TokenProblem> problem = {};
    Clock::time_point until = {};
  };

  explicit TokenCheck(AuthorizationOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Expected<std::string> introspection_endpoint();
  [[nodiscard]] Expected<Json> introspect(std::string_view token);
  [[nodiscard]] Verdict judge(const Json& said) const;

  const AuthorizationOptions options_;
  http::Client client_;
  std::mutex mutex_;
  std::string endpoint_;                     // empty until it is discovered
  std::map<std::string, Verdict> verdicts_;  // by the token's hash
};

}  // namespace helve::mcp
