#include "mcp/token_check.h"

#include <algorithm>
#include <ctime>

#include "base/base64.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "http/url.h"

namespace helve::mcp {
namespace {

using http::Url;
using Problem = http::Guard::TokenProblem;

constexpr std::string_view kPlace = "/.well-known/oauth-protected-resource";
constexpr auto kRequestTime = std::chrono::seconds(10);
constexpr auto kAcceptedFor = std::chrono::seconds(60);
constexpr auto kRefusedFor = std::chrono::seconds(10);
// Limits how often keys are read, whatever tokens say.
constexpr std::size_t kMostKeyReads = 5;
constexpr auto kKeyReadsWithin = std::chrono::seconds(60);
constexpr auto kKeysLast = std::chrono::hours(1);
constexpr double kSkew = 30;  // seconds by which clocks may differ
constexpr std::size_t kMostRemembered = 1'000;
constexpr std::size_t kLongestToken = 16'384;
constexpr std::size_t kLargestAnswer = std::size_t{1} << 20;

bool is_safe(const Url& url) { return url.scheme == "https" || url.is_loopback(); }

std::string without_slash(std::string text) {
  if (text.ends_with('/')) text.pop_back();
  return text;
}

// "aud" is a string or a list of strings.
bool is_for(const Json& said, const std::string& resource) {
  const Json* audience = said.find("aud");
  if (audience == nullptr) return false;
  const auto names_it = [&](const Json& one) {
    return one.is_string() && without_slash(one.as_string()) == without_slash(resource);
  };
  return audience->is_array() ? std::ranges::any_of(audience->as_array(), names_it) : names_it(*audience);
}

}  // namespace

Expected<std::unique_ptr<TokenCheck>> TokenCheck::create(AuthorizationOptions options) {
  const auto server = Url::parse(options.server);
  if (!server || !is_safe(*server))
    return fail(ErrorCode::kInvalidArgument,
                concat("The authorisation server \"", options.server, "\" must have an https URL."),
                "Pass its issuer URL, for example https://auth.example.");
  if (!Url::parse(options.resource))
    return fail(ErrorCode::kInvalidArgument, concat("The resource \"", options.resource, "\" is not a URL."),
                "Pass the URL that clients use as --resource, for example https://helve.example/mcp.");
  return std::unique_ptr<TokenCheck>(new TokenCheck(std::move(options)));
}

std::string TokenCheck::metadata_path() const {
  const std::string path = Url::parse(options_.resource)->path;
  return concat(kPlace, path == "/" ? "" : path);
}

std::string TokenCheck::metadata_url() const {
  return concat(Url::parse(options_.resource)->origin(), metadata_path());
}

Json TokenCheck::metadata() const {
  Json document = JsonObject{{"resource", options_.resource},
                             {"authorization_servers", JsonArray{options_.server}},
                             {"bearer_methods_supported", JsonArray{"header"}},
                             {"resource_name", "Helve"}};
  if (!options_.scopes.empty())
    document["scopes_supported"] = JsonArray(options_.scopes.begin(), options_.scopes.end());
  return document;
}

Expected<TokenCheck::Endpoints> TokenCheck::endpoints(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (endpoints_) return *endpoints_;
  }
  const Url issuer = *Url::parse(options_.server);
  const std::string path = without_slash(issuer.path);
  bool described = false;
  for (const std::string& place : {concat(issuer.origin(), "/.well-known/oauth-authorization-server", path),
                                   concat(issuer.origin(), "/.well-known/openid-configuration", path),
                                   concat(issuer.origin(), path, "/.well-known/openid-configuration")}) {
    const auto answer =
        client_.send({.url = place, .total_time = kRequestTime, .body_limit = kLargestAnswer}, stop);
    if (!answer) return fail(answer.error());
    const auto document = answer->status == 200 ? parse_json(answer->body) : Expected<Json>(Json());
    if (!document || !document->is_object()) continue;
    if (without_slash(text_in(*document, "issuer")) != without_slash(options_.server)) continue;
    described = true;
    const auto usable = [&](std::string_view member) {
      std::string endpoint = text_in(*document, member);
      const auto url = Url::parse(endpoint);
      return url && is_safe(*url) ? endpoint : std::string();
    };
    Endpoints found{.introspection = usable("introspection_endpoint"), .keys = usable("jwks_uri")};
    if (found.introspection.empty() && found.keys.empty()) continue;
    const std::lock_guard lock(mutex_);
    endpoints_ = found;
    return found;
  }
  if (!described)
    return fail(ErrorCode::kUnavailable,
                concat("The authorization server ", options_.server, " does not publish its metadata."),
                "Check the URL: it must be the issuer, exactly as the server names itself.");
  return fail(
      ErrorCode::kExecutionFailed,
      concat("The authorization server ", options_.server,
             " announces neither an introspection_endpoint nor a jwks_uri, so its tokens cannot be checked."),
      "Enable one of them there, or leave out --authorization-server and use Helve's own token.");
}

Expected<void> TokenCheck::discover(const std::stop_token& stop) {
  const auto found = endpoints(stop);
  if (!found) return fail(found.error());
  return {};
}

Expected<Json> TokenCheck::examine(std::string_view token) {
  const auto known = endpoints();
  if (!known) return fail(known.error());
  const bool introspects =
      !known->introspection.empty() && (!options_.client_id.empty() || known->keys.empty());
  if (introspects) return introspect(known->introspection, token);
  if (const auto signed_token = read_jwt(token)) return verify(known->keys, *signed_token);
  if (!known->introspection.empty()) return introspect(known->introspection, token);
  return Json(JsonObject{{"active", false}});
}

Expected<std::shared_ptr<const JwkSet>> TokenCheck::keys(const std::string& url, Clock::duration most_age) {
  const std::lock_guard reading(reading_keys_);
  const Clock::time_point now = Clock::now();
  if (keys_ && now - key_reads_.back() < most_age) return keys_;
  std::erase_if(key_reads_, [&](Clock::time_point read) { return now - read >= kKeyReadsWithin; });
  if (key_reads_.size() >= kMostKeyReads) {
    if (keys_) return keys_;
    return fail(ErrorCode::kUnavailable, "The keys of the authorization server could not be read.");
  }
  key_reads_.push_back(now);
  const auto answer =
      client_.send({.url = url, .total_time = kRequestTime, .body_limit = kLargestAnswer}, {});
  const auto document = answer && answer->status == 200 ? parse_json(answer->body) : Expected<Json>(Json());
  if (document && document->find("keys") != nullptr) keys_ = std::make_shared<const JwkSet>(*document);
  // If the keys cannot be read now, those that are known stay valid.
  if (keys_) return keys_;
  return answer ? fail(ErrorCode::kUnavailable,
                       concat("The authorization server answered ", url, " with HTTP status ", answer->status,
                              " and without keys."))
                : fail(answer.error());
}

Expected<Json> TokenCheck::verify(const std::string& keys_url, const Jwt& token) {
  auto known = keys(keys_url, kKeysLast);
  if (!known) return fail(known.error());
  JwkSet::Verdict verdict = (*known)->verify(token);
  if (verdict == JwkSet::Verdict::kUnknownKey) {
    known = keys(keys_url, Clock::duration::zero());  // the issuer may have new keys
    if (known) verdict = (*known)->verify(token);
  }
  Json said = token.claims;
  const auto is_issuer = [&] {
    return without_slash(text_in(said, "iss")) == without_slash(options_.server);
  };
  const Json* start = said.find("nbf");
  const bool has_begun =
      start == nullptr ||
      (start->is_number() && start->as_double() <= static_cast<double>(std::time(nullptr)) + kSkew);
  const Json* end = said.find("exp");
  said["active"] =
      verdict == JwkSet::Verdict::kValid && is_issuer() && has_begun && end != nullptr && end->is_number();
  // Some issuers write scopes as a list.
  if (const JsonArray* scopes = array_in(said, "scp"); scopes != nullptr && said.find("scope") == nullptr) {
    std::string all;
    for (const Json& scope : *scopes)
      if (scope.is_string()) all += concat(" ", scope.as_string());
    said["scope"] = std::move(all);
  }
  return said;
}

Expected<Json> TokenCheck::introspect(const std::string& endpoint, std::string_view token) {
  http::ClientRequest request{
      .method = "POST",
      .url = endpoint,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}},
      .body = http::to_form({{"token", std::string(token)}, {"token_type_hint", "access_token"}}),
      .total_time = kRequestTime,
      .body_limit = kLargestAnswer};
  if (!options_.client_id.empty())
    request.headers.add("Authorization",
                        concat("Basic ", to_base64(concat(http::percent_encoded(options_.client_id), ":",
                                                          http::percent_encoded(options_.client_secret)))));
  const auto answer = client_.send(request, {});
  if (!answer) return fail(answer.error());
  auto said = answer->status == 200 ? parse_json(answer->body) : Expected<Json>(Json());
  if (!said || !said->is_object())
    return fail(ErrorCode::kUnavailable,
                concat("The authorisation server answered with HTTP status ", answer->status, "."));
  return *std::move(said);
}

TokenCheck::Verdict TokenCheck::judge(const Json& said) const {
  const auto refuse = [](std::string reason) {
    return Verdict{.problem = Problem{.reason = std::move(reason)}, .until = Clock::now() + kRefusedFor};
  };
  const Json* active = said.find("active");
  if (active == nullptr || *active != Json(true)) return refuse("The token is not valid.");
  if (!is_for(said, options_.resource)) return refuse("The token was issued for another server.");
  auto until = Clock::now() + kAcceptedFor;
  if (const Json* end = said.find("exp"); end != nullptr && end->is_number()) {
    std::int64_t second = 0;  // some servers write it with a fraction
    if (!end->fits_int64(second)) second = static_cast<std::int64_t>(std::clamp(end->as_double(), 0.0, 1e12));
    const std::int64_t left = second - static_cast<std::int64_t>(std::time(nullptr));
    if (left <= 0) return refuse("The token has expired.");
    if (left < kAcceptedFor.count()) until = Clock::now() + std::chrono::seconds(left);
  }
  const std::string allowed = concat(" ", text_in(said, "scope"), " ");
  if (!std::ranges::all_of(options_.scopes, [&](const std::string& scope) {
        return allowed.find(concat(" ", scope, " ")) != std::string::npos;
      }))
    return {.problem = Problem{.status = 403,
                               .reason = "The token lacks a required scope.",
                               .scope = join(options_.scopes, " ")},
            .until = Clock::now() + kRefusedFor};
  return {.until = until};
}

std::optional<Problem> TokenCheck::check(std::string_view token) {
  if (token.empty() || token.size() > kLongestToken)
    return Problem{.reason = "The token is empty or too long."};
  const std::string key = sha256_hex(token);
  {
    const std::lock_guard lock(mutex_);
    const auto known = verdicts_.find(key);
    if (known != verdicts_.end() && Clock::now() < known->second.until) return known->second.problem;
  }
  const auto said = examine(token);
  if (!said)
    return Problem{.status = 503, .reason = concat("The token cannot be checked: ", said.error().message)};
  Verdict verdict = judge(*said);
  auto problem = verdict.problem;
  const std::lock_guard lock(mutex_);
  if (verdicts_.size() >= kMostRemembered) verdicts_.clear();
  verdicts_[key] = std::move(verdict);
  return problem;
}

}  // namespace helve::mcp
