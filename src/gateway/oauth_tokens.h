// OAuth tokens and client registrations: requests them from an issuer and stores them.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gateway/oauth_discovery.h"
#include "helve/error.h"
#include "http/client.h"

namespace helve::gateway {

// A client that is registered with an issuer.
struct OAuthClient {
  std::string id = {};
  std::string secret = {};        // empty: a public client
  std::string auth_method = {};   // empty: not stated by the issuer
  std::string redirect_uri = {};  // empty if registered manually
};

struct TokenRecord {
  std::string issuer = {};  // never sent to another issuer
  OAuthClient client = {};
  std::string access_token = {};
  std::string refresh_token = {};
  std::int64_t expires_at = 0;           // seconds since 1970; 0: unknown
  std::vector<std::string> scopes = {};  // that were requested
};

// One file per server below the state directory, readable only by the user. May be used from all threads.
class TokenStore {
 public:
  // With an empty directory nothing is stored.
  explicit TokenStore(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::optional<TokenRecord> find(const std::string& server_url) const;
  [[nodiscard]] Expected<void> keep(const std::string& server_url, const TokenRecord& record) const;
  void forget(const std::string& server_url) const;

 private:
  [[nodiscard]] std::string path_for(const std::string& server_url) const;

  const std::string directory_;
};

// Registers Helve as a client (RFC 7591).
[[nodiscard]] Expected<OAuthClient> register_client(http::Client& http, const Issuer& issuer,
                                                    const std::string& redirect_uri,
                                                    const std::vector<std::string>& scopes,
                                                    const std::stop_token& stop);

// The answer to a token request.
struct TokenAnswer {
  std::string access_token = {};
  std::string refresh_token = {};
  std::int64_t expires_at = 0;  // seconds since 1970; 0: not stated
};

// `fields` describe the grant; the client's credentials are added. PERMISSION_DENIED with the issuer's reason
// if it refuses.
[[nodiscard]] Expected<TokenAnswer> request_token(http::Client& http, const Issuer& issuer,
                                                  const OAuthClient& client, http::FormFields fields,
                                                  const std::stop_token& stop);

// A PKCE verifier and its challenge (RFC 7636, S256).
struct CodeVerifier {
  std::string verifier = {};
  std::string challenge = {};

  [[nodiscard]] static CodeVerifier make();
};

}  // namespace helve::gateway
