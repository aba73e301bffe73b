// Tokens and registrations that logging in at servers has brought, kept for the next time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::gateway {

// A client as an issuer knows it.
struct OAuthClient {
  std::string id = {};
  std::string secret = {};        // empty: a public client
  std::string auth_method = {};   // as the issuer said; empty: it did not
  std::string redirect_uri = {};  // with which it was registered; empty for those registered by hand
};

struct TokenRecord {
  std::string issuer = {};  // whose these are; they are never shown to another one
  OAuthClient client = {};
  std::string access_token = {};
  std::string refresh_token = {};
  std::int64_t expires_at = 0;           // seconds since 1970; 0: unknown
  std::vector<std::string> scopes = {};  // that were asked for
};

// A file per server below the state directory, readable by the user alone. May be used from all threads.
class TokenStore {
 public:
  // An empty directory: they are forgotten with the process.
  explicit TokenStore(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::optional<TokenRecord> find(const std::string& server_url) const;
  [[nodiscard]] Expected<void> keep(const std::string& server_url, const TokenRecord& record) const;
  void forget(const std::string& server_url) const;

 private:
  [[nodiscard]] std::string path_for(const std::string& server_url) const;

  const std::string directory_;
};

}  // namespace helve::gateway
