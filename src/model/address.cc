#include "model/address.h"

#include "base/strings.h"
#include "http/guard.h"

namespace helve::model {

Expected<Address> read_address(std::string_view base_url) {
  const std::string_view text = trim(base_url);
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = to_lower(text.substr(0, scheme_end));
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return fail(ErrorCode::kInvalidArgument, "The setting model.base_url is no http:// or https:// address",
                "Write it as https://api.example/v1.");
  const std::string_view rest = text.substr(scheme_end + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view path = rest.substr(authority.size());
  if (authority.contains('@'))
    return fail(ErrorCode::kInvalidArgument, "The setting model.base_url has a user or password in it",
                "Set model.key_variable to the variable that holds the key instead.");
  if (authority.empty() || path.find_first_of("?#") != std::string_view::npos)
    return fail(ErrorCode::kInvalidArgument, "The setting model.base_url needs a host, and no ? or #",
                "Write it as https://api.example/v1.");
  // People copy what they see in examples of requests.
  for (const std::string_view tail : {"/", "/chat/completions", "/messages", "/"})
    while (path.ends_with(tail)) path.remove_suffix(tail.size());
  Address address{.origin = concat(scheme, "://", authority),
                  .place = std::string(authority),
                  .path = std::string(path),
                  .is_encrypted = scheme == "https"};
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = to_lower(authority.substr(0, colon));
  address.is_loopback = http::is_loopback_name(address.host);
  return address;
}

}  // namespace helve::model
