// Tokens of an authorisation server: who to ask for one (RFC 9728), and whether one holds (RFC 7662).
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
  std::string server = {};     // its issuer URL
  std::string resource = {};   // the URL by which clients know this server; tokens have to be made for it
  std::string client_id = {};  // with which this server asks about tokens
  std::string client_secret = {};
  std::vector<std::string> scopes = {};  // all of which a token has to allow
};

// May be used from all threads. What the authorisation server says of a token is believed for a minute.
class TokenCheck {
 public:
  // INVALID_ARGUMENT when an address is none, or a secret would go over the wire in the clear.
  [[nodiscard]] static Expected<std::unique_ptr<TokenCheck>> create(AuthorizationOptions options);

  // Where the description is served, and the description.
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
  std::string endpoint_;                     // once it is known
  std::map<std::string, Verdict> verdicts_;  // by the token's hash
};

}  // namespace helve::mcp
