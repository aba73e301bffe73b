#include "gateway/oauth.h"

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/either_stop.h"
#include "base/strings.h"
#include "gateway/redirect_listener.h"

namespace helve::gateway {
namespace {

constexpr std::string_view kOfflineAccess = "offline_access";

bool includes(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  return std::ranges::all_of(
      some, [&](const std::string& each) { return std::ranges::find(all, each) != all.end(); });
}

std::uint16_t port_of(const std::string& redirect_uri) {
  const auto url = http::Url::parse(redirect_uri);
  if (!url) return 0;
  const std::size_t colon = url->authority.rfind(':');
  int port = 0;
  for (const char c : url->authority.substr(colon + 1))
    if (c >= '0' && c <= '9') port = port * 10 + (c - '0');
  return colon != std::string::npos && port < 65536 ? static_cast<std::uint16_t>(port) : 0;
}

// By machines, for machines: there is nobody to log in.
bool grants_without_person(const Issuer& issuer) {
  return !issuer.grants.empty() &&
         std::ranges::find(issuer.grants, "authorization_code") == issuer.grants.end() &&
         std::ranges::find(issuer.grants, "client_credentials") != issuer.grants.end();
}

}  // namespace

Expected<std::unique_ptr<OAuth>> OAuth::create(Parts parts, Logger& logger) {
  auto url = http::Url::parse(parts.server_url);
  if (!url)
    return fail(ErrorCode::kInvalidArgument,
                concat("The url of the MCP server ", parts.server, " is not valid."));
  return std::unique_ptr<OAuth>(new OAuth(std::move(parts), *std::move(url), logger));
}

OAuth::OAuth(Parts parts, http::Url url, Logger& logger)
    : parts_(std::move(parts)),
      url_(std::move(url)),
      logger_(logger),
      store_(parts_.store_directory),
      discovery_(http_, url_) {
  if (auto kept = store_.find(parts_.server_url)) record_ = *std::move(kept);
}

std::string OAuth::authorization() {
  const std::lock_guard lock(mutex_);
  return record_.access_token.empty() ? std::string() : concat("Bearer ", record_.access_token);
}

Expected<void> OAuth::renew(const http::Response& refusal, const std::string& shown, const Terms& terms) {
  const std::lock_guard one_at_a_time(logging_in_);
  if (shown != authorization() || take_kept(shown)) return {};  // somebody else has done it meanwhile
  if (url_.scheme != "https" && !url_.is_loopback())
    return fail(ErrorCode::kSecurity,
                concat("The MCP server ", parts_.server,
                       " wants a login, but is reached without encryption, so that its token could be read "
                       "on the way."),
                "Use its https:// address.");
  const Challenge challenge = read_challenge(refusal);
  auto place = find_place(challenge, terms.stop);
  if (!place) return fail(place.error());
  const bool step_up = refusal.status == 403;
  std::vector<std::string> scopes = scopes_to_ask_for(challenge, *place, step_up);
  if (step_up) {
    const std::lock_guard lock(mutex_);
    if (record_.issuer == place->issuer.issuer && includes(record_.scopes, scopes))
      return fail(ErrorCode::kPermissionDenied,
                  concat("The MCP server ", parts_.server, " wants the scope ", challenge.get("scope"),
                         ", which the login did not bring."),
                  "Ask whoever runs the server for it.");
  } else if (refresh(*place, terms.stop) || take_kept(shown)) {
    return {};
  }
  return log_in(*place, std::move(scopes), terms);
}

bool OAuth::take_kept(const std::string& shown) {
  auto kept = store_.find(parts_.server_url);
  if (!kept || kept->access_token.empty() || concat("Bearer ", kept->access_token) == shown) return false;
  const std::lock_guard lock(mutex_);
  record_ = *std::move(kept);
  return true;
}

Expected<OAuth::Place> OAuth::find_place(const Challenge& challenge, const std::stop_token& stop) const {
  auto resource = discovery_.find_resource(challenge, stop);
  if (!resource) return fail(resource.error());
  auto issuer = discovery_.find_issuer(*resource, stop);
  if (!issuer) return fail(issuer.error());
  return Place{*std::move(resource), *std::move(issuer)};
}

std::vector<std::string> OAuth::scopes_to_ask_for(const Challenge& challenge, const Place& place,
                                                  bool step_up) const {
  std::vector<std::string> scopes = scope_list(parts_.settings.scope);
  if (scopes.empty()) scopes = scope_list(challenge.get("scope"));
  if (scopes.empty()) scopes = place.resource.scopes;
  if (step_up) {
    // What was granted before must not get lost.
    const std::lock_guard lock(mutex_);
    scopes = scope_union(record_.scopes, scope_union(std::move(scopes), scope_list(challenge.get("scope"))));
  }
  // So that nobody has to log in again tomorrow.
  const bool offers_offline =
      std::ranges::find(place.issuer.scopes, kOfflineAccess) != place.issuer.scopes.end();
  if (offers_offline && !scopes.empty() && !grants_without_person(place.issuer))
    scopes = scope_union(std::move(scopes), {std::string(kOfflineAccess)});
  return scopes;
}

bool OAuth::refresh(const Place& place, const std::stop_token& stop) {
  TokenRecord record;
  {
    const std::lock_guard lock(mutex_);
    record = record_;
  }
  if (record.refresh_token.empty() || record.issuer != place.issuer.issuer) return false;
  http::FormFields fields{{"grant_type", "refresh_token"}, {"refresh_token", record.refresh_token}};
  if (!place.resource.resource.empty()) fields.emplace_back("resource", place.resource.resource);
  auto answer = request_token(http_, place.issuer, record.client, std::move(fields), stop);
  if (!answer) {
    logger_.info("A token of an MCP server could not be refreshed",
                 {{"server", parts_.server}, {"problem", answer.error().message}});
    const std::lock_guard lock(mutex_);
    record_.refresh_token.clear();
    return false;
  }
  if (answer->refresh_token.empty()) answer->refresh_token = record.refresh_token;
  take(place, record.client, *std::move(answer), record.scopes);
  return true;
}

Expected<void> OAuth::log_in(const Place& place, std::vector<std::string> scopes, const Terms& terms) {
  http::FormFields fields;  // of the request for the token
  if (!place.resource.resource.empty()) fields.emplace_back("resource", place.resource.resource);
  auto client = grants_without_person(place.issuer) ? log_in_alone(place, scopes, fields, terms)
                                                    : log_in_person(place, scopes, fields, terms);
  if (!client) return fail(client.error());
  auto answer = request_token(http_, place.issuer, *client, std::move(fields), terms.stop);
  if (!answer) return fail(answer.error());
  take(place, *std::move(client), *std::move(answer), std::move(scopes));
  return {};
}

Expected<OAuthClient> OAuth::log_in_alone(const Place& place, const std::vector<std::string>& scopes,
                                          http::FormFields& token_fields, const Terms& terms) {
  token_fields.emplace_back("grant_type", "client_credentials");
  if (!scopes.empty()) token_fields.emplace_back("scope", join(scopes, " "));
  return client_for(place, {}, scopes, terms.stop);
}

Expected<OAuthClient> OAuth::log_in_person(const Place& place, const std::vector<std::string>& scopes,
                                           http::FormFields& token_fields, const Terms& terms) {
  const bool has_asker = terms.caller && terms.caller->asker != nullptr;
  if (!parts_.open_url && !has_asker)
    return fail(ErrorCode::kPermissionDenied,
                concat("The MCP server ", parts_.server, " wants a login, and there is nobody to log in."),
                concat("Run helve mcp test ", parts_.server, " in a terminal to log in."));
  const std::string state = random_id("state", 32);
  auto port = static_cast<std::uint16_t>(parts_.settings.redirect_port);
  {
    const std::lock_guard lock(mutex_);
    if (port == 0) port = port_of(record_.client.redirect_uri);  // as it was registered
  }
  auto listener = RedirectListener::start(port, state, logger_);
  if (!listener) return fail(listener.error());
  auto client = client_for(place, (*listener)->uri(), scopes, terms.stop);
  if (!client) return fail(client.error());
  const CodeVerifier verifier = CodeVerifier::make();
  http::FormFields query{{"response_type", "code"},
                         {"client_id", client->id},
                         {"redirect_uri", (*listener)->uri()},
                         {"state", state},
                         {"code_challenge", verifier.challenge},
                         {"code_challenge_method", "S256"}};
  if (!scopes.empty()) query.emplace_back("scope", join(scopes, " "));
  // Some issuers give a token for later only to somebody who was asked.
  if (std::ranges::find(scopes, kOfflineAccess) != scopes.end()) query.emplace_back("prompt", "consent");
  if (!place.resource.resource.empty()) query.emplace_back("resource", place.resource.resource);
  const std::string& endpoint = place.issuer.authorization_endpoint;
  const std::string_view joint = endpoint.find('?') == std::string::npos ? "?" : "&";
  auto code = get_code(place, concat(endpoint, joint, http::to_form(query)), **listener, terms);
  if (!code) return fail(code.error());
  token_fields.emplace_back("grant_type", "authorization_code");
  token_fields.emplace_back("redirect_uri", (*listener)->uri());
  token_fields.emplace_back("code_verifier", verifier.verifier);
  token_fields.emplace_back("code", *std::move(code));
  return client;
}

Expected<std::string> OAuth::get_code(const Place& place, const std::string& url, RedirectListener& listener,
                                      const Terms& terms) const {
  if (parts_.open_url) parts_.open_url(parts_.server, url);
  std::stop_source declined;
  std::jthread asking;
  if (!parts_.open_url)
    asking = std::jthread([&](const std::stop_token& stop) {
      const auto reply = terms.caller->asker->ask({.call_id = terms.caller->call_id,
                                                   .server = parts_.server,
                                                   .text = "The server wants you to log in.",
                                                   .url = url},
                                                  stop);
      if (!reply || reply->kind != Reply::Kind::kAnswered) declined.request_stop();
    });
  const EitherStop stop(terms.stop, declined.get_token());
  const auto fields = listener.wait({.stop = stop.token(), .deadline = Clock::now() + parts_.patience});
  asking.request_stop();
  if (!fields && declined.stop_requested())
    return fail(ErrorCode::kPermissionDenied,
                concat("The person did not want to log in at the MCP server ", parts_.server, "."));
  if (!fields && fields.error().code == ErrorCode::kTimeout)
    return fail(ErrorCode::kPermissionDenied,
                concat("Nobody has logged in at the MCP server ", parts_.server, " in time."),
                concat("Run helve mcp test ", parts_.server, " in a terminal to log in."));
  if (!fields) return fail(fields.error());
  // A code from one issuer must not be shown to another (RFC 9207).
  const std::string* issuer = http::find_field(*fields, "iss");
  if (issuer != nullptr ? *issuer != place.issuer.issuer : place.issuer.tells_issuer)
    return fail(ErrorCode::kSecurity,
                concat("The login at the MCP server ", parts_.server,
                       " came back from another issuer than the one that was asked."),
                "Do not log in there; somebody may be in between.");
  if (const std::string* error = http::find_field(*fields, "error"))
    return fail(ErrorCode::kPermissionDenied,
                concat("The login at the MCP server ", parts_.server, " was refused: ", *error, "."));
  const std::string* code = http::find_field(*fields, "code");
  if (code == nullptr || code->empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The login at the MCP server ", parts_.server, " brought no code."));
  return *code;
}

Expected<OAuthClient> OAuth::client_for(const Place& place, const std::string& redirect_uri,
                                        const std::vector<std::string>& scopes, const std::stop_token& stop) {
  if (!parts_.settings.client_id.empty())
    return OAuthClient{.id = parts_.settings.client_id, .secret = parts_.client_secret};
  if (place.issuer.takes_metadata_documents && !parts_.settings.client_metadata_url.empty())
    return OAuthClient{.id = parts_.settings.client_metadata_url};
  {
    const std::lock_guard lock(mutex_);
    if (record_.issuer == place.issuer.issuer && !record_.client.id.empty() &&
        record_.client.redirect_uri == redirect_uri)
      return record_.client;
  }
  if (place.issuer.registration_endpoint.empty() || redirect_uri.empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The issuer ", place.issuer.issuer, " wants a client that was registered by hand."),
                concat("Register one and put its id into mcp_servers.", parts_.server, ".oauth.client_id."));
  return register_client(http_, place.issuer, redirect_uri, scopes, stop);
}

void OAuth::take(const Place& place, OAuthClient client, TokenAnswer answer,
                 std::vector<std::string> scopes) {
  TokenRecord record{.issuer = place.issuer.issuer,
                     .client = std::move(client),
                     .access_token = std::move(answer.access_token),
                     .refresh_token = std::move(answer.refresh_token),
                     .expires_at = answer.expires_at,
                     .scopes = std::move(scopes)};
  {
    const std::lock_guard lock(mutex_);
    record_ = record;
  }
  if (auto kept = store_.keep(parts_.server_url, record); !kept)
    logger_.warning("The login at an MCP server holds for this time only",
                    {{"server", parts_.server}, {"problem", kept.error().message}});
}

}  // namespace helve::gateway
