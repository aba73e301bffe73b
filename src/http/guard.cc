#include "http/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/message_key.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "http/response_text.h"

namespace helve::http {
namespace {

// The value of a Host header in lower case, without a trailing dot.
struct Authority {
  std::string host = {};
  std::string port = {};  // digits, or empty

  bool operator==(const Authority&) const = default;
};

bool is_name_character(char c) { return is_digit(c) || is_lower(c) || c == '-' || c == '.' || c == '_'; }

// Returns nothing if the text contains anything but a host and a port.
std::optional<Authority> parse_authority(std::string_view text) {
  Authority result;
  std::size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    in6_addr address{};
    const std::string inner(text.substr(1, end - 1));
    if (inner.contains('\0') || ::inet_pton(AF_INET6, inner.c_str(), &address) != 1) return std::nullopt;
    char canonical[INET6_ADDRSTRLEN];
    if (::inet_ntop(AF_INET6, &address, canonical, sizeof canonical) == nullptr) return std::nullopt;
    result.host = concat('[', canonical, ']');
    ++end;
  } else {
    end = std::min(text.find(':'), text.size());
    result.host = to_lower(text.substr(0, end));
    if (result.host.ends_with('.')) result.host.pop_back();
    if (result.host.empty() || !std::ranges::all_of(result.host, is_name_character)) return std::nullopt;
  }
  std::string_view rest = text.substr(end);
  if (rest.empty()) return result;
  rest.remove_prefix(1);
  if (text[end] != ':' || rest.size() > 5 || !std::ranges::all_of(rest, is_digit)) return std::nullopt;
  result.port = rest;
  return result;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

struct Origin {
  std::string scheme = {};
  Authority authority = {};

  bool operator==(const Origin&) const = default;
};

std::optional<Origin> parse_origin(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  auto authority = parse_authority(text.substr(colon + 3));
  if (!authority) return std::nullopt;
  Origin origin{to_lower(text.substr(0, colon)), std::move(*authority)};
  std::string& port = origin.authority.port;
  if ((origin.scheme == "http" && port == "80") || (origin.scheme == "https" && port == "443")) port.clear();
  return origin;
}

// The bearer token of the only Authorization header, if there is one.
std::optional<std::string_view> bearer_token(const Request& request) {
  const std::string* const given = request.headers.find("authorization");
  if (given == nullptr || request.headers.count("authorization") != 1) return std::nullopt;
  const std::size_t blank = given->find(' ');
  if (blank == std::string::npos || to_lower(given->substr(0, blank)) != "bearer") return std::nullopt;
  return trim(std::string_view(*given).substr(blank));
}

}  // namespace

bool is_loopback_name(std::string_view host) {
  const auto parsed = parse_authority(host == "::1" ? "[::1]" : host);
  return parsed && parsed->port.empty() && !host.ends_with(':') && is_loopback(parsed->host);
}

bool Guard::allows_host(std::string_view text) const {
  const auto host = parse_authority(text);
  if (!host) return false;
  if (is_loopback(host->host)) return true;
  return std::ranges::any_of(hosts, [&](const std::string& entry) {
    const auto known = parse_authority(entry);
    return known && known->host == host->host && (known->port.empty() || known->port == host->port);
  });
}

bool Guard::allows_origin(std::string_view text) const {
  const auto origin = parse_origin(text);
  if (!origin) return false;
  if ((origin->scheme == "http" || origin->scheme == "https") && is_loopback(origin->authority.host))
    return true;
  return std::ranges::any_of(origins,
                             [&](const std::string& entry) { return parse_origin(entry) == origin; });
}

// Does not reveal the full path to clients without a token.
constexpr std::string_view kTokenLocation =
    "the one in the file serve-token of the server's state directory (see helve config paths)";

std::optional<Guard::TokenProblem> Guard::problem_of(std::optional<std::string_view> given) const {
  if (!given)
    return TokenProblem{.reason = concat("A token is required: send the header 'Authorization: Bearer TOKEN'",
                                         token.empty() ? "" : concat(" with ", kTokenLocation), ".")};
  if (!token.empty() && equal_secrets(*given, token)) return std::nullopt;
  if (check_token) return check_token(*given);
  return TokenProblem{.reason = concat("The token is not valid: send ", kTokenLocation, ".")};
}

bool Guard::is_open(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") return false;
  const std::string* length = request.headers.find("content-length");
  const bool has_body =
      (length != nullptr && trim(*length) != "0") || request.headers.find("transfer-encoding") != nullptr;
  return !has_body && std::ranges::find(open_paths, request.path) != open_paths.end();
}

std::optional<Response> Guard::refuse_token(const Request& request) const {
  if ((token.empty() && !check_token) || is_open(request)) return std::nullopt;
  const auto given = bearer_token(request);
  const auto problem = problem_of(given);
  if (!problem) return std::nullopt;
  const std::string body = error_response(problem->status, problem->reason).body;
  const auto refuse = [&](const std::string& header, const std::string& value) {
    return Response{.status = problem->status,
                    .headers = {{"Content-Type", "application/json"}, {header, value}},
                    .body = body};
  };
  if (problem->status == 503) return refuse("Retry-After", "5");
  std::vector<std::string> parts;
  if (problem->status == 403)
    parts.emplace_back("error=\"insufficient_scope\"");
  else if (given)
    parts.emplace_back("error=\"invalid_token\"");
  if (!problem->scope.empty()) parts.push_back(concat("scope=\"", problem->scope, '"'));
  if (!resource_metadata.empty()) parts.push_back(concat("resource_metadata=\"", resource_metadata, '"'));
  return refuse("WWW-Authenticate", concat("Bearer", parts.empty() ? "" : " ", join(parts, ", ")));
}

std::optional<Response> Guard::refusal(const Request& request) const {
  const std::string* const host = request.headers.find("host");
  if (host == nullptr || request.headers.count("host") != 1 || !allows_host(*host))
    return error_response(
        403,
        concat("The host ", host == nullptr ? "" : concat('\'', shortened(to_valid_utf8(*host), 100), "' "),
               "is not allowed: use localhost or 127.0.0.1, or start the server with --host NAME."));
  const std::string* const origin = request.headers.find("origin");
  if (origin != nullptr && (request.headers.count("origin") != 1 || !allows_origin(*origin)))
    return error_response(403, concat("The origin '", shortened(to_valid_utf8(*origin), 100),
                                      "' is not allowed: start the server with --origin ORIGIN."));
  return refuse_token(request);
}

}  // namespace helve::http
