#include "base/redact.h"

#include <algorithm>
#include <array>

#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve {
namespace {

constexpr std::string_view kRedacted = "[redacted]";

// Prefixes of well-known service tokens, with the minimum length of the rest.
struct TokenForm {
  std::string_view start;
  std::size_t min_rest;
};
constexpr auto kTokenForms = std::to_array<TokenForm>({
    {"sk-", 16},      {"sk_live_", 16},  {"rk_live_", 16}, {"ghp_", 20},
    {"gho_", 20},     {"ghs_", 20},      {"ghu_", 20},     {"github_pat_", 20},
    {"glpat-", 16},   {"xoxb-", 10},     {"xoxp-", 10},    {"xapp-", 10},
    {"AKIA", 16},     {"ASIA", 16},      {"AIza", 30},     {"eyJ", 40},
    {"npm_", 30},     {"hf_", 30},       {"dop_v1_", 30},  {"sk_test_", 16},
    {"xoxa-", 10},    {"xoxr-", 10},     {"gldt-", 16},    {"glrt-", 16},
    {"pypi-", 30},    {"dckr_pat_", 20}, {"shpat_", 20},   {"SG.", 30},
    {"ya29.", 30},    {"whsec_", 20},    {"hvs.", 20},     {"AGE-SECRET-KEY-", 40},
    {"lin_api_", 20},
});

constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey",
     "secretkey", "credential", "authorization", "passwords", "secrets", "credentials", "apikeys"});

class CharacterSet {
 public:
  constexpr explicit CharacterSet(std::string_view extra) {
    for (const std::string_view part :
         {std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"), extra})
      for (const char c : part) has_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool operator()(char c) const { return has_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> has_{};
};
constexpr CharacterSet is_name_character("");
constexpr CharacterSet is_token_character(".~+/=");

std::size_t run_length(std::string_view text, const CharacterSet& belongs) {
  std::size_t length = 0;
  while (length < text.size() && belongs(text[length])) ++length;
  return length;
}

constexpr auto kTokenInitials = [] {
  std::array<bool, 256> initials{};
  for (const TokenForm& form : kTokenForms) initials[static_cast<unsigned char>(form.start[0])] = true;
  return initials;
}();

// Length of the token at the start of the text, or 0.
std::size_t token_length(std::string_view text) {
  if (text.size() < 3 || !kTokenInitials[static_cast<unsigned char>(text[0])]) return 0;
  for (const TokenForm& form : kTokenForms) {
    // Comparing two letters first excludes nearly all words.
    if (text[0] != form.start[0] || text[1] != form.start[1] || !text.starts_with(form.start)) continue;
    const std::size_t rest = run_length(text.substr(form.start.size()), is_token_character);
    if (rest >= form.min_rest) return form.start.size() + rest;
  }
  return 0;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// Where the value begins in `NAME=value`, `name: value`, `"name" : "value"` or `--name value` with a secret's
// name, or in a bare `Bearer value`. Otherwise 0.
std::size_t secret_value_offset(std::string_view text, std::size_t name) {
  if (name == text.size()) return 0;
  constexpr std::string_view kBearer = "bearer";
  if (text[name] == ' ' && name == kBearer.size() && to_lower(text.substr(0, name)) == kBearer) {
    const std::size_t value = skip_blanks(text, name);
    return run_length(text.substr(value), is_token_character) >= 8 ? value : 0;
  }
  std::size_t at = name;
  if (text[at] == '"' || text[at] == '\'') ++at;
  const std::size_t after_blanks = skip_blanks(text, at);
  if (after_blanks < text.size() && (text[after_blanks] == '=' || text[after_blanks] == ':'))
    at = skip_blanks(text, after_blanks + 1);
  else if (text.starts_with("--") && after_blanks > at)
    at = after_blanks;
  else
    return 0;
  if (!names_a_secret(text.substr(0, name))) return 0;
  for (const std::string_view prefix : {"bearer ", "basic ", "token "})
    if (to_lower(text.substr(at, prefix.size())) == prefix) at += prefix.size();
  return at;
}

std::size_t value_length(std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (text[at] == '\\')
        ++at;  // an escaped quote does not end the value
      else if (text[at] == text[0])
        return at + 1;
    }
    return text.size();
  }
  return std::min(text.find_first_of(" \t\r\n&;|,\"'"), text.size());
}

// The place of a secret in a text. Length 0 means there is none.
struct Secret {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// For a text that begins with a name of length `name`.
Secret secret_by_name(std::string_view text, std::size_t name) {
  if (const std::size_t token = token_length(text); token > 0) return {0, token};
  const std::size_t value = secret_value_offset(text, name);
  return value > 0 ? Secret{value, value_length(text.substr(value))} : Secret();
}

// For `://user:password@host` and `://token@host`.
Secret url_password(std::string_view text) {
  constexpr std::string_view kStart = "://";
  if (text[0] != ':' || !text.starts_with(kStart)) return {0, 0};
  const std::string_view authority =
      text.substr(0, std::min(text.find_first_of("/ \t\r\n?#\"'", kStart.size()), text.size()));
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':', kStart.size());
  if (at == std::string_view::npos) return {0, 0};
  if (colon != std::string_view::npos && colon < at) return {colon + 1, at - colon - 1};
  // A long user name without a password is most likely a token, unlike "git@host".
  constexpr std::size_t kShortestToken = 16;
  const std::size_t length = at - kStart.size();
  return {kStart.size(), length >= kShortestToken ? length : 0};
}

}  // namespace

bool names_a_secret(std::string_view name) {
  std::string plain = to_lower(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  // "tokens" and "max_tokens" are counts, not secrets.
  if (plain.ends_with("tokens")) return false;
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return plain.ends_with(word); });
}

std::string redact_text(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t name = run_length(rest, is_name_character);
    const Secret secret = name > 0 ? secret_by_name(rest, name) : url_password(rest);
    if (secret.length == 0) {
      at += std::max<std::size_t>(1, name);
      continue;
    }
    out.append(text.substr(copied, at + secret.offset - copied)).append(kRedacted);
    copied = at = at + secret.offset + secret.length;
    at += run_length(text.substr(at), is_name_character);  // skip the rest of the word
  }
  if (copied == 0) return std::string(text);
  return out.append(text.substr(copied));
}

bool holds_secret(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    const std::string_view line = text.substr(at, 80);
    if (line.substr(0, line.find('\n')).contains("PRIVATE KEY")) return true;
  }
  return redact_text(text) != text;
}

Json redact_json(const Json& value, std::size_t max_string) {
  if (value.is_string()) {
    const std::string& text = value.as_string();
    if (text.size() > max_string && count_characters(text) > max_string)
      return concat("[", with_thousands(count_characters(text)), " characters, sha256 ", sha256_hex(text),
                    "]");
    return redact_text(text);
  }
  if (value.is_array()) {
    JsonArray array;
    for (const Json& element : value.as_array()) array.push_back(redact_json(element, max_string));
    return array;
  }
  if (value.is_object()) {
    JsonObject object;
    for (const auto& [key, member] : value.as_object())
      object.append(key, names_a_secret(key) && !member.is_bool() && !member.is_null()
                             ? Json(kRedacted)
                             : redact_json(member, max_string));
    return object;
  }
  return value;
}

}  // namespace helve
