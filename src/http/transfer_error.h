// What libcurl says about a failed request, in words that say what to do.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <string>
#include <string_view>

#include "helve/error.h"

namespace helve::http {

struct TransferFailure {
  CURLcode code = CURLE_OK;
  std::string_view place = {};  // host and port, never the URL
  std::string_view text = {};   // libcurl's own words
  int error_number = 0;         // errno of the connection, or 0
  std::chrono::milliseconds connect_time{};
};

[[nodiscard]] Error transfer_error(const TransferFailure& failure);

// TIMEOUT: "The request to host took longer than 1.5 s"
[[nodiscard]] Error timeout_error(std::string_view what, std::chrono::milliseconds time);

}  // namespace helve::http
