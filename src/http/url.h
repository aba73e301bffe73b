// The parts of http and https addresses, and texts as they may stand in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::http {

struct Url {
  std::string scheme = {};     // "http" or "https"
  std::string authority = {};  // host, and port where it is not the usual one; in lower case
  std::string path = {};       // begins with a slash
  std::string query = {};      // without the question mark

  // Nothing when it is no http or https address. User names and passwords in it are not accepted.
  [[nodiscard]] static std::optional<Url> parse(std::string_view text);

  [[nodiscard]] std::string origin() const { return scheme + "://" + authority; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string host() const;  // without port and brackets
  // On this machine, where nobody can listen on the way.
  [[nodiscard]] bool is_loopback() const;
};

// A reference as it stands in a document at `base`: whole, or beginning with a slash.
[[nodiscard]] std::optional<Url> resolve(const Url& base, std::string_view reference);

// As application/x-www-form-urlencoded wants it.
[[nodiscard]] std::string percent_encoded(std::string_view text);
[[nodiscard]] std::string percent_decoded(std::string_view text);

using FormFields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::string to_form(const FormFields& fields);
[[nodiscard]] FormFields from_form(std::string_view text);
// The value of the first field of that name, or null.
[[nodiscard]] const std::string* find_field(const FormFields& fields, std::string_view name);

}  // namespace helve::http
