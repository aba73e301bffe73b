// Leave to use a server, by OAuth 2.1: logs in when the server wants that, and keeps what it got.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "gateway/http_traffic.h"
#include "gateway/oauth_discovery.h"
#include "gateway/oauth_requests.h"
#include "gateway/token_store.h"
#include "helve/log.h"
#include "helve/settings.h"

namespace helve::gateway {

// May be used from all threads; only one of them logs in, and the others wait for it.
class OAuth final : public Authoriser {
 public:
  struct Parts {
    std::string server;      // its name
    std::string server_url;  // without user name, password and fragment
    Settings::McpOAuth settings;
    std::string client_secret;  // of a client registered by hand
    std::string store_directory;
    // Brings the address to a person. Null: nobody can log in.
    std::function<void(const std::string& server, const std::string& url)> open_url;
    std::chrono::milliseconds patience{300'000};  // with the person
  };

  // INVALID_ARGUMENT when tokens cannot be sent to such an address. The logger must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<OAuth>> create(Parts parts, Logger& logger);

  [[nodiscard]] std::string authorization() override;
  [[nodiscard]] Expected<void> renew(const http::Response& refusal, const std::string& shown,
                                     const Terms& terms) override;

 private:
  OAuth(Parts parts, http::Url url, Logger& logger);

  // What is found out anew for every login, because it may have changed.
  struct Place {
    ProtectedResource resource;
    Issuer issuer;
  };

  [[nodiscard]] Expected<Place> find_place(const Challenge& challenge, const std::stop_token& stop) const;
  [[nodiscard]] std::vector<std::string> scopes_to_ask_for(const Challenge& challenge, const Place& place,
                                                           bool step_up) const;
  // Takes the login that another Helve has kept meanwhile. Refreshing what that one has refreshed would end
  // both: issuers take a token that comes a second time for stolen.
  [[nodiscard]] bool take_kept(const std::string& shown);
  [[nodiscard]] bool refresh(const Place& place, const std::stop_token& stop);
  [[nodiscard]] Expected<void> log_in(const Place& place, std::vector<std::string> scopes,
                                      const Terms& terms);
  // Both give the client, and the fields with which it can get a token.
  [[nodiscard]] Expected<OAuthClient> log_in_alone(const Place& place, const std::vector<std::string>& scopes,
                                                   http::FormFields& token_fields, const Terms& terms);
  [[nodiscard]] Expected<OAuthClient> log_in_person(const Place& place,
                                                    const std::vector<std::string>& scopes,
                                                    http::FormFields& token_fields, const Terms& terms);
  [[nodiscard]] Expected<OAuthClient> client_for(const Place& place, const std::string& redirect_uri,
                                                 const std::vector<std::string>& scopes,
                                                 const std::stop_token& stop);
  [[nodiscard]] Expected<std::string> get_code(const Place& place, const std::string& url,
                                               class RedirectListener& listener, const Terms& terms) const;
  void take(const Place& place, OAuthClient client, TokenAnswer answer, std::vector<std::string> scopes);

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
