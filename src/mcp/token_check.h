// Checks OAuth access tokens, by introspection (RFC 7662) or by their signature (RFC 9068), and describes
// their issuer (RFC 9728).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/client.h"
#include "http/guard.h"
#include "mcp/jwt.h"

namespace helve::mcp {

struct AuthorizationOptions {
  std::string server = {};     // issuer URL
  std::string resource = {};   // URL of this server, which tokens must name as their audience
  std::string client_id = {};  // credentials for the introspection endpoint
  std::string client_secret = {};
  std::vector<std::string> scopes = {};  // a token needs all of them
};

// May be used from all threads. An accepted token is checked again after a minute.
//
// Introspection is used if the issuer announces it and there are credentials for it, because it notices
// revocation. Otherwise signed tokens are verified with the issuer's public keys, which are read again when a
// token names an unknown key, a few times a minute at most, and every hour.
class TokenCheck {
 public:
  // INVALID_ARGUMENT if a URL is invalid, or if secrets would be sent unencrypted.
  [[nodiscard]] static Expected<std::unique_ptr<TokenCheck>> create(AuthorizationOptions options);

  // The protected resource metadata (RFC 9728) and where it is served.
  [[nodiscard]] std::string metadata_path() const;
  [[nodiscard]] std::string metadata_url() const;
  [[nodiscard]] Json metadata() const;

  // Finds out how tokens can be checked. UNAVAILABLE if the issuer does not answer, EXECUTION_FAILED if it
  // announces neither an introspection endpoint nor keys.
  [[nodiscard]] Expected<void> discover(const std::stop_token& stop = {});

  [[nodiscard]] std::optional<http::Guard::TokenProblem> check(std::string_view token);

 private:
  using Clock = std::chrono::steady_clock;
  struct Verdict {
    std::optional<http::Guard::TokenProblem> problem = {};
    Clock::time_point until = {};
  };

  explicit TokenCheck(AuthorizationOptions options) : options_(std::move(options)) {}

  // The addresses that the issuer announces; at least one of them is set.
  struct Endpoints {
    std::string introspection = {};
    std::string keys = {};
  };

  [[nodiscard]] Expected<Endpoints> endpoints(const std::stop_token& stop = {});
  // The claims of the token, with "active", as an introspection endpoint answers.
  [[nodiscard]] Expected<Json> examine(std::string_view token);
  [[nodiscard]] Expected<Json> introspect(const std::string& endpoint, std::string_view token);
  [[nodiscard]] Expected<Json> verify(const std::string& keys_url, const Jwt& token);
  [[nodiscard]] Expected<std::shared_ptr<const JwkSet>> keys(const std::string& url,
                                                             Clock::duration most_age);
  [[nodiscard]] Verdict judge(const Json& said) const;

  const AuthorizationOptions options_;
  http::Client client_;
  std::mutex mutex_;
  std::optional<Endpoints> endpoints_;        // empty until they are discovered
  std::map<std::string, Verdict> verdicts_;   // by the token's hash
  std::mutex reading_keys_;                   // guards the members below
  std::shared_ptr<const JwkSet> keys_;        // null until they are read
  std::vector<Clock::time_point> key_reads_;  // the last ones, oldest first, also those that failed
};

}  // namespace helve::mcp
