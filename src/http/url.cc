#include "http/url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "http/guard.h"

namespace helve::http {
namespace {

bool has_forbidden_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c <= ' ' || c >= '\x7f' || c == '\\' || c == '"'; });
}

}  // namespace

std::optional<Url> Url::parse(std::string_view text) {
  if (has_forbidden_character(text)) return {};
  Url url;
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return {};
  url.scheme = to_lower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return {};
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  url.authority = to_lower(text.substr(0, end));
  if (url.authority.empty() || url.authority.find('@') != std::string::npos) return {};
  const std::string_view usual_port = url.scheme == "http" ? ":80" : ":443";
  if (url.authority.ends_with(usual_port)) url.authority.erase(url.authority.size() - usual_port.size());
  text.remove_prefix(end);
  const std::size_t mark = std::min(text.find('?'), text.size());
  url.path = text.substr(0, mark);
  if (url.path.empty()) url.path = "/";
  if (mark < text.size()) url.query = text.substr(mark + 1);
  return url;
}

std::string Url::text() const { return concat(origin(), path, query.empty() ? "" : "?", query); }

std::string Url::host() const {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

bool Url::is_loopback() const { return http::is_loopback_name(host()); }

std::optional<Url> resolve(const Url& base, std::string_view reference) {
  if (reference.starts_with("//")) return Url::parse(concat(base.scheme, ":", reference));
  if (reference.starts_with('/')) return Url::parse(concat(base.origin(), reference));
  if (reference.starts_with('?')) return Url::parse(concat(base.origin(), base.path, reference));
  if (reference.find("://") != std::string_view::npos) return Url::parse(reference);
  return Url::parse(concat(base.origin(), base.path.substr(0, base.path.rfind('/') + 1), reference));
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      (((out += '%') += kDigits[byte >> 4]) += kDigits[byte & 15]);
  }
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit_value(text[i + 1]) >= 0 &&
                        hex_digit_value(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex_digit_value(text[i + 1]) * 16 + hex_digit_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string to_form(const FormFields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += concat(percent_encoded(name), "=", percent_encoded(value));
  }
  return out;
}

FormFields from_form(std::string_view text) {
  FormFields fields;
  for (const std::string_view piece : split(text, '&')) {
    if (piece.empty()) continue;
    const std::size_t equals = std::min(piece.find('='), piece.size());
    fields.emplace_back(percent_decoded(piece.substr(0, equals)),
                        equals < piece.size() ? percent_decoded(piece.substr(equals + 1)) : std::string());
  }
  return fields;
}

const std::string* find_field(const FormFields& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

}  // namespace helve::http
