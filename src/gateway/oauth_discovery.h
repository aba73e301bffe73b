// Finds out who gives leave for a server (RFC 9728), and how that one is asked (RFC 8414, OpenID).
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gateway/oauth_challenge.h"
#include "helve/error.h"
#include "helve/json.h"
#include "http/client.h"
#include "http/url.h"

namespace helve::gateway {

// What a server says about who guards it.
struct ProtectedResource {
  std::string resource = {};  // exactly as published; empty when the server publishes nothing
  std::string issuer = {};    // of leave to use it
  std::vector<std::string> scopes = {};
};

// Who gives the leave, and where.
struct Issuer {
  std::string issuer = {};
  std::string authorization_endpoint = {};
  std::string token_endpoint = {};
  std::string registration_endpoint = {};  // empty: clients are not registered on the fly
  std::vector<std::string> scopes = {};
  std::vector<std::string> grants = {};      // empty: it does not say
  std::vector<std::string> token_auth = {};  // how clients prove who they are; empty: it does not say
  bool takes_metadata_documents = false;     // a URL as a client id
  bool tells_issuer = false;                 // iss comes with every code
};

// Asks over HTTP; may be used from all threads.
class OAuthDiscovery {
 public:
  // `server_url` is where the MCP server is. The client must outlive it.
  OAuthDiscovery(http::Client& client, http::Url server_url)
      : client_(client), server_(std::move(server_url)) {}

  // SECURITY when the server claims to be another one.
  [[nodiscard]] Expected<ProtectedResource> find_resource(const Challenge& challenge,
                                                          const std::stop_token& stop) const;
  // SECURITY when the description found is that of another issuer, or sends us where nobody should go.
  [[nodiscard]] Expected<Issuer> find_issuer(const ProtectedResource& resource,
                                             const std::stop_token& stop) const;

  // Whether secrets may be sent there: encrypted, or on this machine for a server that is there as well.
  [[nodiscard]] bool is_safe(const std::string& url) const;

 private:
  // Nothing when there is no such document.
  [[nodiscard]] Expected<std::optional<Json>> fetch(const std::string& url,
                                                    const std::stop_token& stop) const;
  [[nodiscard]] Expected<Issuer> read_issuer(const Json& metadata, const std::string& wanted) const;

  http::Client& client_;
  const http::Url server_;
};

// "a b c"
[[nodiscard]] std::vector<std::string> scope_list(std::string_view scopes);
// All of both, each once.
[[nodiscard]] std::vector<std::string> scope_union(std::vector<std::string> first,
                                                   const std::vector<std::string>& second);

}  // namespace helve::gateway
