#include "gateway/oauth_discovery.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"

namespace helve::gateway {
namespace {

using std::chrono::milliseconds;

constexpr auto kDiscoveryTime = milliseconds(20'000);
constexpr std::size_t kLongestDocument = std::size_t{1} << 20;

std::vector<std::string> texts(const Json& object, std::string_view key) {
  std::vector<std::string> found;
  const Json* list = object.find(key);
  if (list == nullptr || !list->is_array()) return found;
  for (const Json& entry : list->as_array())
    if (entry.is_string() && found.size() < 200) found.push_back(shortened(entry.as_string(), 500));
  return found;
}

bool flag(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && value->is_bool() && value->as_bool();
}

std::string_view without_slash(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

// The server's own address, or one above it.
bool covers(const http::Url& resource, const http::Url& server) {
  if (resource.origin() != server.origin()) return false;
  const std::string_view path = without_slash(resource.path);
  return without_slash(server.path) == path || server.path.starts_with(concat(path, "/"));
}

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kSecurity, std::move(message),
              "Do not log in there; ask whoever runs the server to correct it.");
}

}  // namespace

std::vector<std::string> scope_list(std::string_view scopes) {
  std::vector<std::string> list;
  for (const std::string_view scope : split(scopes, ' '))
    if (!scope.empty()) list.emplace_back(scope);
  return list;
}

std::vector<std::string> scope_union(std::vector<std::string> first, const std::vector<std::string>& second) {
  for (const std::string& scope : second)
    if (std::ranges::find(first, scope) == first.end()) first.push_back(scope);
  return first;
}

bool OAuthDiscovery::is_safe(const std::string& url) const {
  const auto parsed = http::Url::parse(url);
  if (!parsed) return false;
  // A server elsewhere has no reason to send us to something on this machine.
  if (parsed->is_loopback()) return server_.is_loopback();
  return parsed->scheme == "https";
}

Expected<std::optional<Json>> OAuthDiscovery::fetch(const std::string& url,
                                                    const std::stop_token& stop) const {
  if (!is_safe(url))
    return refuse(concat("The server points to ", shortened(url, 200), ", which is not safe."));
  const auto response =
      client_.send({.url = url,
                    .headers = {{"Accept", "application/json"},
                                {std::string(rpc::kRevisionHeader), std::string(rpc::kNewestOldRevision)}},
                    .total_time = kDiscoveryTime,
                    .body_limit = kLongestDocument},
                   stop);
  if (!response) return fail(response.error());
  if (response->status >= 500)
    return fail(ErrorCode::kUnavailable, concat(url, " answered with HTTP status ", response->status, "."));
  if (response->status != 200) return std::nullopt;
  auto json = parse_json(response->body);
  if (!json || !json->is_object()) return std::nullopt;
  return *std::move(json);
}

Expected<ProtectedResource> OAuthDiscovery::find_resource(const Challenge& challenge,
                                                          const std::stop_token& stop) const {
  constexpr std::string_view kPlace = "/.well-known/oauth-protected-resource";
  std::vector<std::string> places;
  if (const std::string told = challenge.get("resource_metadata"); !told.empty()) {
    places.push_back(told);
  } else {
    if (server_.path != "/") places.push_back(concat(server_.origin(), kPlace, server_.path));
    places.push_back(concat(server_.origin(), kPlace));
  }
  for (const std::string& place : places) {
    const auto document = fetch(place, stop);
    if (!document) return fail(document.error());
    if (!*document) continue;
    ProtectedResource found{.resource = text_member(**document, "resource", 2000)};
    const auto named = http::Url::parse(found.resource);
    if (!named || !covers(*named, server_))
      return refuse(concat("The server at ", server_.origin(), server_.path, " says that it is ",
                           shortened(found.resource, 200), "."));
    const std::vector<std::string> issuers = texts(**document, "authorization_servers");
    found.issuer = issuers.empty() ? server_.origin() : issuers.front();
    found.scopes = texts(**document, "scopes_supported");
    return found;
  }
  // As it was before servers published this: the server's own host gives leave.
  return ProtectedResource{.issuer = server_.origin()};
}

Expected<Issuer> OAuthDiscovery::find_issuer(const ProtectedResource& resource,
                                             const std::stop_token& stop) const {
  const auto url = http::Url::parse(resource.issuer);
  if (!url) return refuse(concat("\"", shortened(resource.issuer, 200), "\" is no address of an issuer."));
  const std::string origin = url->origin();
  std::vector<std::string> places;
  const std::string path(without_slash(url->path));
  places.push_back(concat(origin, "/.well-known/oauth-authorization-server", path));
  places.push_back(concat(origin, "/.well-known/openid-configuration", path));
  if (!path.empty()) places.push_back(concat(origin, path, "/.well-known/openid-configuration"));
  for (const std::string& place : places) {
    const auto document = fetch(place, stop);
    if (!document) return fail(document.error());
    if (*document) return read_issuer(**document, resource.issuer);
  }
  if (!resource.resource.empty())
    return fail(ErrorCode::kUnavailable,
                concat("The issuer ", shortened(resource.issuer, 200), " does not say how it is asked."));
  // The first revision with OAuth had places for servers that publish nothing.
  return Issuer{.issuer = origin,
                .authorization_endpoint = concat(origin, "/authorize"),
                .token_endpoint = concat(origin, "/token"),
                .registration_endpoint = concat(origin, "/register")};
}

Expected<Issuer> OAuthDiscovery::read_issuer(const Json& metadata, const std::string& wanted) const {
  Issuer issuer{.issuer = text_member(metadata, "issuer", 2000),
                .authorization_endpoint = text_member(metadata, "authorization_endpoint", 2000),
                .token_endpoint = text_member(metadata, "token_endpoint", 2000),
                .registration_endpoint = text_member(metadata, "registration_endpoint", 2000),
                .scopes = texts(metadata, "scopes_supported"),
                .grants = texts(metadata, "grant_types_supported"),
                .token_auth = texts(metadata, "token_endpoint_auth_methods_supported"),
                .takes_metadata_documents = flag(metadata, "client_id_metadata_document_supported"),
                .tells_issuer = flag(metadata, "authorization_response_iss_parameter_supported")};
  if (without_slash(issuer.issuer) != without_slash(wanted))
    return refuse(concat("The issuer ", shortened(wanted, 200), " describes itself as ",
                         shortened(issuer.issuer, 200), "."));
  const std::vector<std::string> methods = texts(metadata, "code_challenge_methods_supported");
  if (!methods.empty() && std::ranges::find(methods, "S256") == methods.end())
    return refuse(concat("The issuer ", shortened(wanted, 200), " does not protect codes with S256."));
  for (const std::string* endpoint :
       {&issuer.authorization_endpoint, &issuer.token_endpoint, &issuer.registration_endpoint})
    if (!endpoint->empty() && !is_safe(*endpoint))
      return refuse(concat("The issuer ", shortened(wanted, 200), " points to ", shortened(*endpoint, 200),
                           ", which is not safe."));
  return issuer;
}

}  // namespace helve::gateway
