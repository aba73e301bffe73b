// OAuth discovery: reads WWW-Authenticate, finds the issuer of a server (RFC 9728) and its endpoints (RFC
// 8414).
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/client.h"
#include "http/message.h"
#include "http/url.h"

namespace helve::gateway {

// The parameters of a WWW-Authenticate header.
struct Challenge {
  std::map<std::string, std::string> parameters = {};  // of the Bearer scheme; names in lower case

  [[nodiscard]] std::string get(std::string_view name) const;
};

// Empty if there is no Bearer challenge.
[[nodiscard]] Challenge read_challenge(const http::Response& response);

// Whether another login may help: status 401, or 403 with insufficient_scope.
[[nodiscard]] bool needs_authorization(const http::Response& response);

// A server's metadata about its authorization (RFC 9728).
struct ProtectedResource {
  std::string resource = {};  // as published; empty if the server publishes nothing
  std::string issuer = {};    // of its tokens
  std::vector<std::string> scopes = {};
};

// An authorization server and its endpoints.
struct Issuer {
  std::string issuer = {};
  std::string authorization_endpoint = {};
  std::string token_endpoint = {};
  std::string registration_endpoint = {};  // empty: no dynamic registration
  std::vector<std::string> scopes = {};
  std::vector<std::string> grants = {};      // empty: not stated
  std::vector<std::string> token_auth = {};  // client authentication methods; empty: not stated
  bool accepts_metadata_documents = false;   // accepts a URL as client id
  bool sends_issuer = false;                 // sends iss with every code
};

// May be used from all threads.
class OAuthDiscovery {
 public:
  // `server_url` is the URL of the MCP server. The client must outlive it.
  OAuthDiscovery(http::Client& client, http::Url server_url)
      : client_(client), server_(std::move(server_url)) {}

  // SECURITY if the metadata names another server.
  [[nodiscard]] Expected<ProtectedResource> find_resource(const Challenge& challenge,
                                                          const std::stop_token& stop) const;
  // SECURITY if the metadata is that of another issuer, or names unsafe URLs.
  [[nodiscard]] Expected<Issuer> find_issuer(const ProtectedResource& resource,
                                             const std::stop_token& stop) const;

  // Whether secrets may be sent there: over https, or to loopback if the server is there, too.
  [[nodiscard]] bool is_safe(const std::string& url) const;

 private:
  // Nothing if there is no such document.
  [[nodiscard]] Expected<std::optional<Json>> fetch(const std::string& url,
                                                    const std::stop_token& stop) const;
  [[nodiscard]] Expected<Issuer> read_issuer(const Json& metadata, const std::string& wanted) const;

  http::Client& client_;
  const http::Url server_;
};

// Splits "a b c".
[[nodiscard]] std::vector<std::string> scope_list(std::string_view scopes);
// All scopes of both lists, without duplicates.
[[nodiscard]] std::vector<std::string> scope_union(std::vector<std::string> first,
                                                   const std::vector<std::string>& second);

}  // namespace helve::gateway
