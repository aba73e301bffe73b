// OAuth 2.1 authorization for an MCP server: logs in on demand and stores the tokens.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "gateway/http_traffic.h"
#include "gateway/oauth_discovery.h"
#include "gateway/oauth_tokens.h"
#include "helve/log.h"
#include "helve/settings/mcp_server.h"

namespace helve::gateway {

// May be used from all threads. One thread logs in while the others wait.
class OAuth final : public Authoriser {
 public:
  struct Parts {
    std::string server;      // name
    std::string server_url;  // without user name, password and fragment
    McpOAuthSettings settings;
    std::string client_secret;  // of a client registered by hand
    std::string store_directory;
    // Shows the URL to the user. Null: the user cannot log in.
    std::function<void(const std::string& server, const std::string& url)> open_url;
    std::chrono::milliseconds login_timeout{300'000};  // for the user to log in
  };

  // INVALID_ARGUMENT if the URL is invalid. The logger must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<OAuth>> create(Parts parts, Logger& logger);

  [[nodiscard]] std::string authorization() override;
  [[nodiscard]] Expected<void> renew(const http::Response& refusal, const std::string& shown,
                                     const Terms& terms) override;

 private:
  OAuth(Parts parts, http::Url url, Logger& logger);

  // Discovered again for every login, because it may have changed.
  struct Authority {
    ProtectedResource resource;
    Issuer issuer;
  };

  [[nodiscard]] Expected<Authority> discover(const Challenge& challenge, const std::stop_token& stop) const;
  [[nodiscard]] std::vector<std::string> scopes_to_request(const Challenge& challenge,
                                                           const Authority& authority, bool step_up) const;
  // Loads a newer login that another Helve process has stored. Using its old refresh token again would end
  // both logins, because issuers treat a reused refresh token as stolen.
  [[nodiscard]] bool load_stored(const std::string& shown);
  [[nodiscard]] bool refresh(const Authority& authority, const std::stop_token& stop);
  [[nodiscard]] Expected<void> log_in(const Authority& authority, std::vector<std::string> scopes,
                                      const Terms& terms);
  // Both return the client and add the fields of the token request.
  [[nodiscard]] Expected<OAuthClient> log_in_with_credentials(const Authority& authority,
                                                              const std::vector<std::string>& scopes,
                                                              http::FormFields& token_fields,
                                                              const Terms& terms);
  [[nodiscard]] Expected<OAuthClient> log_in_user(const Authority& authority,
                                                  const std::vector<std::string>& scopes,
                                                  http::FormFields& token_fields, const Terms& terms);
  [[nodiscard]] Expected<OAuthClient> client_for(const Authority& authority, const std::string& redirect_uri,
                                                 const std::vector<std::string>& scopes,
                                                 const std::stop_token& stop);
  [[nodiscard]] Expected<std::string> get_code(const Authority& authority, const std::string& url,
                                               class RedirectListener& listener, const Terms& terms) const;
  void take(const Authority& authority, OAuthClient client, TokenAnswer answer,
            std::vector<std::string> scopes);

  const Parts parts_;
  const http::Url url_;
  Logger& logger_;
  TokenStore store_;
  http::Client http_;
  OAuthDiscovery discovery_;
  std::mutex logging_in_;
  mutable std::mutex mutex_;
  TokenRecord record_;
};

}  // namespace helve::gateway
