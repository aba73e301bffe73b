#include "http/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/message_key.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "http/response_text.h"

namespace helve::http {
namespace {

// As in a Host header: lower case, without the dot that ends a full name.
struct Authority {
  std::string host = {};
  std::string port = {};  // digits, or empty

  bool operator==(const Authority&) const = default;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_';
}

// Nothing for anything with a user, a path, blanks or the like in it.
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

}  // namespace

bool is_loopback_name(std::string_view host) {
  const auto parsed = parse_authority(host == "::1" ? "[::1]" : host);
  return parsed && parsed->port.empty() && !host.ends_with(':') && is_loopback(parsed->host);
}

bool Guard::knows_host(std::string_view text) const {
  const auto host = parse_authority(text);
  if (!host) return false;
  if (is_loopback(host->host)) return true;
  return std::ranges::any_of(hosts, [&](const std::string& entry) {
    const auto known = parse_authority(entry);
    return known && known->host == host->host && (known->port.empty() || known->port == host->port);
  });
}

bool Guard::knows_origin(std::string_view text) const {
  const auto origin = parse_origin(text);
  if (!origin) return false;
  if ((origin->scheme == "http" || origin->scheme == "https") && is_loopback(origin->authority.host))
    return true;
  return std::ranges::any_of(origins,
                             [&](const std::string& entry) { return parse_origin(entry) == origin; });
}

std::optional<Response> Guard::refuse_token(const Request& request) const {
  if (token.empty()) return std::nullopt;
  const std::string* const given = request.headers.find("authorization");
  std::string challenge = "Bearer";
  std::string reason = "A token is needed: send the header 'Authorization: Bearer TOKEN'.";
  if (given != nullptr) {
    const std::size_t blank = given->find(' ');
    const bool is_bearer = blank != std::string::npos && to_lower(given->substr(0, blank)) == "bearer";
    if (is_bearer && request.headers.count("authorization") == 1 &&
        equal_secrets(trim(std::string_view(*given).substr(blank)), token))
      return std::nullopt;
    if (is_bearer) {
      challenge += " error=\"invalid_token\"";
      reason = "The token is not valid here: send the one this server was started with.";
    }
  }
  if (!resource_metadata.empty())
    challenge += concat(challenge == "Bearer" ? " " : ", ", "resource_metadata=\"", resource_metadata, '"');
  return Response{.status = 401,
                  .headers = {{"Content-Type", "application/json"}, {"WWW-Authenticate", challenge}},
                  .body = error_response(401, reason).body};
}

std::optional<Response> Guard::refusal(const Request& request) const {
  const std::string* const host = request.headers.find("host");
  if (host == nullptr || request.headers.count("host") != 1 || !knows_host(*host))
    return error_response(
        403,
        concat("The host ", host == nullptr ? "" : concat('\'', shortened(to_valid_utf8(*host), 100), "' "),
               "is not served here: use localhost or 127.0.0.1, or add the name to the server's allowed "
               "hosts."));
  const std::string* const origin = request.headers.find("origin");
  if (origin != nullptr && (request.headers.count("origin") != 1 || !knows_origin(*origin)))
    return error_response(403, concat("The origin '", shortened(to_valid_utf8(*origin), 100),
                                      "' may not use this server: add it to the server's allowed origins."));
  return refuse_token(request);
}

}  // namespace helve::http
