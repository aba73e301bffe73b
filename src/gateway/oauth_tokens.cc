#include "gateway/oauth_tokens.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/oauth_discovery.h"
#include "gateway/protocol.h"

namespace helve::gateway {
namespace {

constexpr auto kRequestTime = std::chrono::milliseconds(30'000);
constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// The issuer's reason for a refusal. Other parts of the answer could contain our secrets.
std::string reason_in(const http::Response& response) {
  const auto json = parse_json(response.body);
  if (!json) return concat("HTTP status ", response.status);
  const std::string code = text_member(*json, "error", 200);
  const std::string description = text_member(*json, "error_description", 500);
  if (code.empty()) return concat("HTTP status ", response.status);
  return description.empty() ? code : concat(code, ", ", description);
}

// The client authentication method that both sides support.
std::string auth_method_of(const Issuer& issuer, const OAuthClient& client) {
  if (client.secret.empty()) return "none";
  if (!client.auth_method.empty()) return client.auth_method;
  if (issuer.token_auth.empty() || contains(issuer.token_auth, "client_secret_basic"))
    return "client_secret_basic";
  return contains(issuer.token_auth, "client_secret_post") ? "client_secret_post" : "none";
}

std::string base64_url(std::string_view bytes) {
  std::string text = to_base64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(hex_digit_value(hex[i]) * 16 + hex_digit_value(hex[i + 1]));
  return bytes;
}

}  // namespace

CodeVerifier CodeVerifier::make() {
  CodeVerifier code;
  code.verifier = concat(random_id("v", 32), random_id("w", 32));
  code.challenge = base64_url(bytes_of_hex(sha256_hex(code.verifier)));
  return code;
}

Expected<OAuthClient> register_client(http::Client& http, const Issuer& issuer,
                                      const std::string& redirect_uri, const std::vector<std::string>& scopes,
                                      const std::stop_token& stop) {
  // A local program cannot keep a secret, so prefer a client without one.
  std::string method = "none";
  if (!issuer.token_auth.empty() && !contains(issuer.token_auth, "none"))
    method =
        contains(issuer.token_auth, "client_secret_basic") ? "client_secret_basic" : "client_secret_post";
  Json body = JsonObject{{"client_name", "Helve"},
                         {"application_type", "native"},
                         {"redirect_uris", JsonArray{redirect_uri}},
                         {"grant_types", JsonArray{"authorization_code", "refresh_token"}},
                         {"response_types", JsonArray{"code"}},
                         {"token_endpoint_auth_method", method}};
  if (!scopes.empty()) body["scope"] = join(scopes, " ");
  const auto response =
      http.send({.method = "POST",
                 .url = issuer.registration_endpoint,
                 .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
                 .body = to_text(body),
                 .total_time = kRequestTime,
                 .body_limit = kLongestAnswer},
                stop);
  if (!response) return fail(response.error());
  const auto json = parse_json(response->body);
  if (response->status < 200 || response->status >= 300 || !json || text_member(*json, "client_id").empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The issuer ", issuer.issuer, " did not register Helve: ", reason_in(*response), "."),
                "Register a client manually and set its id in the server's oauth settings.");
  return OAuthClient{.id = text_member(*json, "client_id"),
                     .secret = text_member(*json, "client_secret"),
                     .auth_method = text_member(*json, "token_endpoint_auth_method", 100),
                     .redirect_uri = redirect_uri};
}

Expected<TokenAnswer> request_token(http::Client& http, const Issuer& issuer, const OAuthClient& client,
                                    http::FormFields fields, const std::stop_token& stop) {
  http::ClientRequest request{
      .method = "POST",
      .url = issuer.token_endpoint,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}},
      .total_time = kRequestTime,
      .body_limit = kLongestAnswer};
  const std::string method = auth_method_of(issuer, client);
  if (method == "client_secret_basic") {
    request.headers.add("Authorization",
                        concat("Basic ", to_base64(concat(http::percent_encoded(client.id), ":",
                                                          http::percent_encoded(client.secret)))));
  } else {
    fields.emplace_back("client_id", client.id);
    if (method == "client_secret_post") fields.emplace_back("client_secret", client.secret);
  }
  request.body = http::to_form(fields);
  const auto response = http.send(request, stop);
  if (!response) return fail(response.error());
  const auto json = parse_json(response->body);
  const std::string token = json ? text_member(*json, "access_token") : std::string();
  if (response->status != 200 || token.empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The issuer ", issuer.issuer, " granted no token: ", reason_in(*response), "."));
  TokenAnswer answer{.access_token = token, .refresh_token = text_member(*json, "refresh_token")};
  std::int64_t seconds = 0;
  if (const Json* lifetime = json->find("expires_in");
      lifetime != nullptr && lifetime->is_number() && lifetime->fits_int64(seconds) && seconds > 0)
    answer.expires_at =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count() +
        std::min(seconds, std::int64_t{1} << 32);
  return answer;
}

std::string TokenStore::path_for(const std::string& server_url) const {
  return concat(directory_, "/", sha256_hex(server_url).substr(0, 32), ".json");
}

std::optional<TokenRecord> TokenStore::find(const std::string& server_url) const {
  if (directory_.empty()) return {};
  const auto text = read_file(path_for(server_url));
  const auto json = text ? parse_json(*text) : fail(text.error());
  if (!json || text_member(*json, "server") != server_url) return {};
  TokenRecord record{.issuer = text_member(*json, "issuer"),
                     .client = {.id = text_member(*json, "clientId"),
                                .secret = text_member(*json, "clientSecret"),
                                .auth_method = text_member(*json, "authMethod"),
                                .redirect_uri = text_member(*json, "redirectUri")},
                     .access_token = text_member(*json, "accessToken"),
                     .refresh_token = text_member(*json, "refreshToken"),
                     .scopes = scope_list(text_member(*json, "scope"))};
  if (const Json* expires = json->find("expiresAt"); expires != nullptr && expires->is_number())
    static_cast<void>(expires->fits_int64(record.expires_at));
  return record;
}

Expected<void> TokenStore::keep(const std::string& server_url, const TokenRecord& record) const {
  if (directory_.empty()) return {};
  if (auto made = make_private_directories(directory_); !made) return made;
  return replace_private_file(path_for(server_url),
                              to_text(JsonObject{{"server", server_url},
                                                 {"issuer", record.issuer},
                                                 {"clientId", record.client.id},
                                                 {"clientSecret", record.client.secret},
                                                 {"authMethod", record.client.auth_method},
                                                 {"redirectUri", record.client.redirect_uri},
                                                 {"accessToken", record.access_token},
                                                 {"refreshToken", record.refresh_token},
                                                 {"expiresAt", record.expires_at},
                                                 {"scope", join(record.scopes, " ")}}));
}

void TokenStore::forget(const std::string& server_url) const {
  if (!directory_.empty()) ::unlink(path_for(server_url).c_str());
}

}  // namespace helve::gateway
