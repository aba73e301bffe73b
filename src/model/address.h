// Where a model is served: the base URL that people write, taken apart as far as it matters here.
#pragma once

#include <string>
#include <string_view>

#include "helve/error.h"

namespace helve::model {

struct Address {
  std::string origin = {};  // "https://api.openai.com"
  std::string place = {};   // "api.openai.com", with the port when there is one
  std::string host = {};    // without the port
  std::string path = {};    // "/v1"; never ends with a slash
  bool is_encrypted = false;
  bool is_loopback = false;
};

// INVALID_ARGUMENT for what is no http or https URL, or has a password in it.
[[nodiscard]] Expected<Address> read_address(std::string_view base_url);

}  // namespace helve::model
