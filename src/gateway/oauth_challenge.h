// What a server says in WWW-Authenticate when it refuses.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "http/message.h"

namespace helve::gateway {

struct Challenge {
  std::map<std::string, std::string> parameters = {};  // of the scheme Bearer; names in lower case

  [[nodiscard]] std::string get(std::string_view name) const;
};

// Empty when there is none of the scheme Bearer.
[[nodiscard]] Challenge read_challenge(const http::Response& response);

// 401, or 403 because the scope does not suffice: something that logging in again may mend.
[[nodiscard]] bool wants_other_leave(const http::Response& response);

}  // namespace helve::gateway
