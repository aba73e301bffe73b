#include "gateway/oauth.h"

#include <algorithm>
#include <thread>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/either_stop.h"
#include "base/strings.h"
#include "base/threads.h"
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
    if (is_digit(c)) port = port * 10 + (c - '0');
  return colon != std::string::npos && port < 65536 ? static_cast<std::uint16_t>(port) : 0;
}

// The issuer grants tokens only to programs, without a user.
bool needs_no_user(const Issuer& issuer) {
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
  if (shown != authorization() || load_stored(shown)) return {};  // another thread or process has done it
  if (url_.scheme != "https" && !url_.is_loopback())
    return fail(ErrorCode::kSecurity,
                concat("The MCP server ", parts_.server,
                       " requires a login, but its connection is not encrypted and would expose the token."),
                "Use its https:// URL.");
  const Challenge challenge = read_challenge(refusal);
  auto authority = discover(challenge, terms.stop);
  if (!authority) return fail(authority.error());
  const bool step_up = refusal.status == 403;
  std::vector<std::string> scopes = scopes_to_request(challenge, *authority, step_up);
  if (step_up) {
    const std::lock_guard lock(mutex_);
    if (record_.issuer == authority->issuer.issuer && includes(record_.scopes, scopes))
      return fail(ErrorCode::kPermissionDenied,
                  concat("The MCP server ", parts_.server, " requires the scope ", challenge.get("scope"),
                         ", which the login did not grant."),
                  "Ask the server's operator for it.");
  } else if (refresh(*authority, terms.stop) || load_stored(shown)) {
    return {};
  }
  return log_in(*authority, std::move(scopes), terms);
}

bool OAuth::load_stored(const std::string& shown) {
  auto kept = store_.find(parts_.server_url);
  if (!kept || kept->access_token.empty() || concat("Bearer ", kept->access_token) == shown) return false;
  const std::lock_guard lock(mutex_);
  record_ = *std::move(kept);
  return true;
}

Expected<OAuth::Authority> OAuth::discover(const Challenge& challenge, const std::stop_token& stop) const {
  auto resource = discovery_.find_resource(challenge, stop);
  if (!resource) return fail(resource.error());
  auto issuer = discovery_.find_issuer(*resource, stop);
  if (!issuer) return fail(issuer.error());
  return Authority{*std::move(resource), *std::move(issuer)};
}

std::vector<std::string> OAuth::scopes_to_request(const Challenge& challenge, const Authority& authority,
                                                  bool step_up) const {
  std::vector<std::string> scopes = scope_list(parts_.settings.scope);
  if (scopes.empty()) scopes = scope_list(challenge.get("scope"));
  if (scopes.empty()) scopes = authority.resource.scopes;
  if (step_up) {
    // Keep the scopes that were granted before.
    const std::lock_guard lock(mutex_);
    scopes = scope_union(record_.scopes, scope_union(std::move(scopes), scope_list(challenge.get("scope"))));
  }
  // A refresh token saves the user from logging in again.
  const bool offers_offline =
      std::ranges::find(authority.issuer.scopes, kOfflineAccess) != authority.issuer.scopes.end();
  if (offers_offline && !scopes.empty() && !needs_no_user(authority.issuer))
    scopes = scope_union(std::move(scopes), {std::string(kOfflineAccess)});
  return scopes;
}

bool OAuth::refresh(const Authority& authority, const std::stop_token& stop) {
  TokenRecord record;
  {
    const std::lock_guard lock(mutex_);
    record = record_;
  }
  if (record.refresh_token.empty() || record.issuer != authority.issuer.issuer) return false;
  http::FormFields fields{{"grant_type", "refresh_token"}, {"refresh_token", record.refresh_token}};
  if (!authority.resource.resource.empty()) fields.emplace_back("resource", authority.resource.resource);
  auto answer = request_token(http_, authority.issuer, record.client, std::move(fields), stop);
  if (!answer) {
    logger_.info("MCP server token could not be refreshed",
                 {{"server", parts_.server}, {"problem", answer.error().message}});
    const std::lock_guard lock(mutex_);
    record_.refresh_token.clear();
    return false;
  }
  if (answer->refresh_token.empty()) answer->refresh_token = record.refresh_token;
  take(authority, record.client, *std::move(answer), record.scopes);
  return true;
}

Expected<void> OAuth::log_in(const Authority& authority, std::vector<std::string> scopes,
                             const Terms& terms) {
  http::FormFields fields;  // of the token request
  if (!authority.resource.resource.empty()) fields.emplace_back("resource", authority.resource.resource);
  auto client = needs_no_user(authority.issuer) ? log_in_with_credentials(authority, scopes, fields, terms)
                                                : log_in_user(authority, scopes, fields, terms);
  if (!client) return fail(client.error());
  auto answer = request_token(http_, authority.issuer, *client, std::move(fields), terms.stop);
  if (!answer) return fail(answer.error());
  take(authority, *std::move(client), *std::move(answer), std::move(scopes));
  return {};
}

Expected<OAuthClient> OAuth::log_in_with_credentials(const Authority& authority,
                                                     const std::vector<std::string>& scopes,
                                                     http::FormFields& token_fields, const Terms& terms) {
  token_fields.emplace_back("grant_type", "client_credentials");
  if (!scopes.empty()) token_fields.emplace_back("scope", join(scopes, " "));
  return client_for(authority, {}, scopes, terms.stop);
}

Expected<OAuthClient> OAuth::log_in_user(const Authority& authority, const std::vector<std::string>& scopes,
                                         http::FormFields& token_fields, const Terms& terms) {
  const bool has_asker = terms.caller && terms.caller->asker != nullptr;
  if (!parts_.open_url && !has_asker)
    return fail(ErrorCode::kPermissionDenied,
                concat("The MCP server ", parts_.server, " requires a login, and no user can be asked."),
                concat("Run helve mcp test ", parts_.server, " in a terminal to log in."));
  const std::string state = random_id("state", 32);
  auto port = static_cast<std::uint16_t>(parts_.settings.redirect_port);
  {
    const std::lock_guard lock(mutex_);
    if (port == 0) port = port_of(record_.client.redirect_uri);  // as it was registered
  }
  auto listener = RedirectListener::start(port, state, logger_);
  if (!listener) return fail(listener.error());
  auto client = client_for(authority, (*listener)->uri(), scopes, terms.stop);
  if (!client) return fail(client.error());
  const CodeVerifier verifier = CodeVerifier::make();
  http::FormFields query{{"response_type", "code"},
                         {"client_id", client->id},
                         {"redirect_uri", (*listener)->uri()},
                         {"state", state},
                         {"code_challenge", verifier.challenge},
                         {"code_challenge_method", "S256"}};
  if (!scopes.empty()) query.emplace_back("scope", join(scopes, " "));
  // Some issuers grant a refresh token only after a consent prompt.
  if (std::ranges::find(scopes, kOfflineAccess) != scopes.end()) query.emplace_back("prompt", "consent");
  if (!authority.resource.resource.empty()) query.emplace_back("resource", authority.resource.resource);
  const std::string& endpoint = authority.issuer.authorization_endpoint;
  const std::string_view joint = endpoint.find('?') == std::string::npos ? "?" : "&";
  auto code = get_code(authority, concat(endpoint, joint, http::to_form(query)), **listener, terms);
  if (!code) return fail(code.error());
  token_fields.emplace_back("grant_type", "authorization_code");
  token_fields.emplace_back("redirect_uri", (*listener)->uri());
  token_fields.emplace_back("code_verifier", verifier.verifier);
  token_fields.emplace_back("code", *std::move(code));
  return client;
}

Expected<std::string> OAuth::get_code(const Authority& authority, const std::string& url,
                                      RedirectListener& listener, const Terms& terms) const {
  if (parts_.open_url) parts_.open_url(parts_.server, url);
  std::stop_source declined;
  std::jthread asking;
  const auto ask = [&](const std::stop_token& stop) {
    const auto reply = terms.caller->asker->ask({.call_id = terms.caller->call_id,
                                                 .server = parts_.server,
                                                 .text = "The server requires a login.",
                                                 .url = url},
                                                stop);
    if (!reply || reply->kind != Reply::Kind::kAnswered) declined.request_stop();
  };
  if (!parts_.open_url && !try_start_thread(asking, ask))
    return fail(no_thread_error("so the user cannot be asked to log in"));
  const EitherStop stop(terms.stop, declined.get_token());
  const auto fields = listener.wait({.stop = stop.token(), .deadline = Clock::now() + parts_.login_timeout});
  asking.request_stop();
  if (!fields && declined.stop_requested())
    return fail(ErrorCode::kPermissionDenied,
                concat("The user declined to log in at the MCP server ", parts_.server, "."));
  if (!fields && fields.error().code == ErrorCode::kTimeout)
    return fail(ErrorCode::kPermissionDenied,
                concat("The login at the MCP server ", parts_.server, " timed out."),
                concat("Run helve mcp test ", parts_.server, " in a terminal to log in."));
  if (!fields) return fail(fields.error());
  // A code of one issuer must not be sent to another (RFC 9207).
  const std::string* issuer = http::find_field(*fields, "iss");
  if (issuer != nullptr ? *issuer != authority.issuer.issuer : authority.issuer.sends_issuer)
    return fail(ErrorCode::kSecurity,
                concat("The login at the MCP server ", parts_.server, " was answered by a different issuer."),
                "Do not log in there. The connection may be intercepted.");
  if (const std::string* error = http::find_field(*fields, "error"))
    return fail(ErrorCode::kPermissionDenied,
                concat("The login at the MCP server ", parts_.server, " was refused: ", *error, "."));
  const std::string* code = http::find_field(*fields, "code");
  if (code == nullptr || code->empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The login at the MCP server ", parts_.server, " returned no code."));
  return *code;
}

Expected<OAuthClient> OAuth::client_for(const Authority& authority, const std::string& redirect_uri,
                                        const std::vector<std::string>& scopes, const std::stop_token& stop) {
  if (!parts_.settings.client_id.empty())
    return OAuthClient{.id = parts_.settings.client_id, .secret = parts_.client_secret};
  if (authority.issuer.accepts_metadata_documents && !parts_.settings.client_metadata_url.empty())
    return OAuthClient{.id = parts_.settings.client_metadata_url};
  {
    const std::lock_guard lock(mutex_);
    if (record_.issuer == authority.issuer.issuer && !record_.client.id.empty() &&
        record_.client.redirect_uri == redirect_uri)
      return record_.client;
  }
  if (authority.issuer.registration_endpoint.empty() || redirect_uri.empty())
    return fail(ErrorCode::kPermissionDenied,
                concat("The issuer ", authority.issuer.issuer, " requires a manually registered client."),
                concat("Register one and set its id as mcp_servers.", parts_.server, ".oauth.client_id."));
  return register_client(http_, authority.issuer, redirect_uri, scopes, stop);
}

void OAuth::take(const Authority& authority, OAuthClient client, TokenAnswer answer,
                 std::vector<std::string> scopes) {
  TokenRecord record{.issuer = authority.issuer.issuer,
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
    logger_.warning("MCP server login could not be stored",
                    {{"server", parts_.server}, {"problem", kept.error().message}});
}

}  // namespace helve::gateway
