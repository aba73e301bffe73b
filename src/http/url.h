// Parsing of http and https URLs, percent-encoding and form fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::http {

struct Url {
  std::string scheme = {};     // "http" or "https"
  std::string authority = {};  // host and non-default port, in lower case
  std::string path = {};       // begins with a slash
  std::string query = {};      // without the question mark

  // Returns nothing for anything but an http or https URL, or if it contains a user name or password.
  [[nodiscard]] static std::optional<Url> parse(std::string_view text);

  [[nodiscard]] std::string origin() const { return scheme + "://" + authority; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string host() const;  // without port and brackets
  // Whether the host is this machine, so that plain http is safe.
  [[nodiscard]] bool is_loopback() const;
};

// Resolves a reference in a document at `base`.
[[nodiscard]] std::optional<Url> resolve(const Url& base, std::string_view reference);

// Encoding for application/x-www-form-urlencoded.
[[nodiscard]] std::string percent_encoded(std::string_view text);
[[nodiscard]] std::string percent_decoded(std::string_view text);

using FormFields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::string to_form(const FormFields& fields);
[[nodiscard]] FormFields from_form(std::string_view text);
// The value of the first field with this name, or null.
[[nodiscard]] const std::string* find_field(const FormFields& fields, std::string_view name);

}  // namespace helve::http
