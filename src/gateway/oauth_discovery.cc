#include "gateway/oauth_discovery.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"
#include "http/request_parser.h"

namespace helve::gateway {
namespace {

// Reads `scheme name=value, name="value", scheme …`.
class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : text_(text) {}

  void read(Challenge& challenge) {
    bool is_bearer = false;
    while (!text_.empty()) {
      skip(" \t,");
      const std::string word = to_lower(take_token());
      if (word.empty()) {
        if (!text_.empty()) text_.remove_prefix(1);
        continue;
      }
      const std::string_view before = text_;
      skip(" \t");
      if (!text_.starts_with('=')) {
        is_bearer = word == "bearer";
        text_ = before;
        continue;
      }
      text_.remove_prefix(1);
      skip(" \t");
      std::string value = take_value();
      if (is_bearer) challenge.parameters.emplace(word, std::move(value));
    }
  }

 private:
  void skip(std::string_view characters) {
    text_.remove_prefix(std::min(text_.find_first_not_of(characters), text_.size()));
  }
  std::string take_token() {
    std::size_t end = 0;
    while (end < text_.size() && http::is_token(text_.substr(end, 1))) ++end;
    std::string token(text_.substr(0, end));
    text_.remove_prefix(end);
    return token;
  }
  std::string take_value() {
    if (!text_.starts_with('"')) return take_token();
    text_.remove_prefix(1);
    std::string value;
    while (!text_.empty() && text_.front() != '"') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      value += text_.front();
      text_.remove_prefix(1);
    }
    if (!text_.empty()) text_.remove_prefix(1);
    return value;
  }

  std::string_view text_;
};

}  // namespace

std::string Challenge::get(std::string_view name) const {
  const auto found = parameters.find(std::string(name));
  return found == parameters.end() ? std::string() : found->second;
}

Challenge read_challenge(const http::Response& response) {
  Challenge challenge;
  for (const auto& [name, value] : response.headers)
    if (to_lower(name) == "www-authenticate") ChallengeReader(value).read(challenge);
  return challenge;
}

bool needs_authorization(const http::Response& response) {
  if (response.status == 401) return true;
  return response.status == 403 && read_challenge(response).get("error") == "insufficient_scope";
}

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

// Whether the resource is the server's URL or a parent of it.
bool covers(const http::Url& resource, const http::Url& server) {
  if (resource.origin() != server.origin()) return false;
  const std::string_view path = without_slash(resource.path);
  return without_slash(server.path) == path || server.path.starts_with(concat(path, "/"));
}

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kSecurity, std::move(message),
              "Do not log in there. Ask the server's operator to correct it.");
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
  // A remote server must not send us to services on this machine.
  if (parsed->is_loopback()) return server_.is_loopback();
  return parsed->scheme == "https";
}

Expected<std::optional<Json>> OAuthDiscovery::fetch(const std::string& url,
                                                    const std::stop_token& stop) const {
  if (!is_safe(url))
    return refuse(concat("The server points to ", shortened(url, 200), ", which is not safe."));
  const auto response = client_.send(
      {.url = url,
       .headers = {{"Accept", "application/json"},
                   {std::string(rpc::kRevisionHeader), std::string(rpc::kNewestSessionRevision)}},
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
  if (const std::string named = challenge.get("resource_metadata"); !named.empty()) {
    places.push_back(named);
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
      return refuse(concat("The server at ", server_.origin(), server_.path, " identifies itself as ",
                           shortened(found.resource, 200), "."));
    const std::vector<std::string> issuers = texts(**document, "authorization_servers");
    found.issuer = issuers.empty() ? server_.origin() : issuers.front();
    found.scopes = texts(**document, "scopes_supported");
    return found;
  }
  // Servers without metadata: their own host is the issuer.
  return ProtectedResource{.issuer = server_.origin()};
}

Expected<Issuer> OAuthDiscovery::find_issuer(const ProtectedResource& resource,
                                             const std::stop_token& stop) const {
  const auto url = http::Url::parse(resource.issuer);
  if (!url) return refuse(concat("The issuer \"", shortened(resource.issuer, 200), "\" is not a URL."));
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
                concat("The issuer ", shortened(resource.issuer, 200), " publishes no metadata."));
  // Protocol version 2025-03-26 has default endpoints for servers without metadata.
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
                .accepts_metadata_documents = flag(metadata, "client_id_metadata_document_supported"),
                .sends_issuer = flag(metadata, "authorization_response_iss_parameter_supported")};
  if (without_slash(issuer.issuer) != without_slash(wanted))
    return refuse(concat("The issuer ", shortened(wanted, 200), " identifies itself as ",
                         shortened(issuer.issuer, 200), "."));
  const std::vector<std::string> methods = texts(metadata, "code_challenge_methods_supported");
  if (!methods.empty() && std::ranges::find(methods, "S256") == methods.end())
    return refuse(concat("The issuer ", shortened(wanted, 200), " does not support PKCE with S256."));
  for (const std::string* endpoint :
       {&issuer.authorization_endpoint, &issuer.token_endpoint, &issuer.registration_endpoint})
    if (!endpoint->empty() && !is_safe(*endpoint))
      return refuse(concat("The issuer ", shortened(wanted, 200), " points to ", shortened(*endpoint, 200),
                           ", which is not safe."));
  return issuer;
}

}  // namespace helve::gateway
