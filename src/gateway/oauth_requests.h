// The requests that a client makes of an issuer: registration and tokens.
#pragma once

#include <stop_token>
#include <string>

#include "gateway/oauth_discovery.h"
#include "gateway/token_store.h"
#include "helve/error.h"
#include "http/client.h"

namespace helve::gateway {

// Registers this program (RFC 7591).
[[nodiscard]] Expected<OAuthClient> register_client(http::Client& http, const Issuer& issuer,
                                                    const std::string& redirect_uri,
                                                    const std::vector<std::string>& scopes,
                                                    const std::stop_token& stop);

// What an issuer answered to a request for a token.
struct TokenAnswer {
  std::string access_token = {};
  std::string refresh_token = {};
  std::int64_t expires_at = 0;  // seconds since 1970; 0: it does not say
};

// The fields of the grant; who we are is added the way that the issuer wants. PERMISSION_DENIED with the
// issuer's words when it refuses.
[[nodiscard]] Expected<TokenAnswer> request_token(http::Client& http, const Issuer& issuer,
                                                  const OAuthClient& client, http::FormFields fields,
                                                  const std::stop_token& stop);

// A secret of our own and what of it may be shown (RFC 7636, S256).
struct CodeVerifier {
  std::string verifier = {};
  std::string challenge = {};

  [[nodiscard]] static CodeVerifier make();
};

}  // namespace helve::gateway
