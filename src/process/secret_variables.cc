#include "process/secret_variables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/redact.h"
#include "base/strings.h"

namespace helve::process {
namespace {

// In addition to names_a_secret(). A star at either end matches anything.
constexpr auto kSecretNames = std::to_array<std::string_view>({
    "AWS_*",
    "AZURE_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GCP_*",
    "HELVE_*",
    "*_KEY",
    "*_TOKEN",
    "*_SECRET*",
    "*_PASS",
    "*_AUTH",
    "*_CREDENTIALS",
    "*_COOKIE",
    "*_DSN",
    "PGPASSFILE",
    "NETRC",
    "DATABASE_URL",
    "*_DATABASE_URL",
    "REDIS_URL",
    "MONGODB_URI",
    "AMQP_URL",
    "KUBECONFIG",
    "DOCKER_AUTH_CONFIG",
    // Agents that sign and decrypt for the user.
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL",
    "DBUS_SESSION_BUS_ADDRESS",
    "XAUTHORITY",
});

// Names that match a pattern above but are not secret.
constexpr auto kHarmlessNames = std::to_array<std::string_view>(
    {"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CA_BUNDLE", "PWD", "OLDPWD"});

// Parts of names that tell of a secret wherever they stand: TOKEN_GITHUB, API_KEY_PROD, DB_PW2.
constexpr auto kSecretParts = std::to_array<std::string_view>(
    {"TOKEN",   "KEY",        "SECRET",      "SECRETS",    "PASS",   "PWD",     "PW",   "PAT",
     "AUTH",    "CREDENTIAL", "CRED",        "CREDS",      "COOKIE", "JWT",     "SALT", "SEED",
     "HMAC",    "PRIVATE",    "SIGNING",     "DSN",        "BEARER", "APIKEY",  "TOTP", "OTP",
     "WEBHOOK", "ACCESS",     "CREDENTIALS", "ENCRYPTION", "CIPHER", "MNEMONIC"});
// A value need not look random after these.
constexpr auto kPasswordParts =
    std::to_array<std::string_view>({"PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "MNEMONIC"});

constexpr std::size_t kShortestRandom = 12;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// 8-4-4-4-12 hexadecimal digits: an identifier.
bool is_uuid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  if (text.size() != kLength) return false;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with("~/") || text.starts_with("./") || text.starts_with("../");
}

// Shannon entropy in bits per character.
double entropy_of(std::string_view text) {
  std::array<int, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// Letters and digits in an order that no word has.
bool is_random_run(std::string_view run) {
  constexpr double kLeastEntropy = 2.8;
  if (run.size() < kShortestRandom || entropy_of(run) < kLeastEntropy) return false;
  std::size_t digits = 0;
  std::size_t changes = 0;  // between upper and lower case
  for (std::size_t i = 0; i < run.size(); ++i) {
    digits += is_digit(run[i]) ? 1U : 0U;
    changes += i > 0 && is_upper(run[i]) != is_upper(run[i - 1]) ? 1U : 0U;
  }
  return (digits > 1 && digits < run.size()) || changes * 3 > run.size();
}

std::vector<std::string_view> name_parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::string_view part : split(name, '_')) {
    while (!part.empty() && is_digit(part.back())) part.remove_suffix(1);  // TOKEN2
    parts.push_back(part);
  }
  return parts;
}

bool is_secret_name(std::string_view name) {
  const std::string upper = to_upper(name);
  if (matches_any_name(upper, kHarmlessNames)) return false;
  return names_a_secret(name) || matches_any_name(upper, kSecretNames);
}

bool is_secret_by_both(std::string_view name, std::string_view value) {
  const std::string upper = to_upper(name);
  if (matches_any_name(upper, kHarmlessNames) || is_path(value) || is_uuid(value)) return false;
  const auto parts = name_parts_of(upper);
  const auto has_one_of = [&](const auto& wanted) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return std::ranges::find(wanted, part) != wanted.end(); });
  };
  const bool number = std::ranges::all_of(value, [](char c) { return is_digit(c) || c == '.'; });
  if (has_one_of(kPasswordParts))
    return !number && !value.empty() && to_lower(value) != "true" && to_lower(value) != "false";
  return has_one_of(kSecretParts) && looks_random(value);
}

}  // namespace

bool matches_name(std::string_view name, std::string_view pattern) {
  const bool open_start = pattern.starts_with('*');
  const bool open_end = pattern.ends_with('*');
  if (open_start) pattern.remove_prefix(1);
  if (open_end && !pattern.empty()) pattern.remove_suffix(1);
  if (open_start && open_end) return name.find(pattern) != std::string_view::npos;
  if (open_start) return name.ends_with(pattern);
  if (open_end) return name.starts_with(pattern);
  return name == pattern;
}

bool looks_random(std::string_view value) {
  if (is_path(value) || is_uuid(value)) return false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const bool belongs = i < value.size() && (is_letter_or_digit(value[i]) || value[i] == '+');
    if (belongs) continue;
    if (is_random_run(value.substr(begin, i - begin))) return true;
    begin = i + 1;
  }
  return false;
}

bool is_secret_variable(std::string_view name, std::string_view value) {
  return is_secret_name(name) || holds_secret(value) || is_secret_by_both(name, value);
}

}  // namespace helve::process
