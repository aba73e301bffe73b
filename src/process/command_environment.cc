#include "process/command_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

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

// Variables that make a shell or the loader run other code before the command.
constexpr auto kStartupNames = std::to_array<std::string_view>({
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "BASH_FUNC_*",
    "ZDOTDIR",
    "LD_PRELOAD",
    "LD_AUDIT",
    "GCONV_PATH",
    // These contradict kNonInteractive.
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "LESSOPEN",
    "LESSCLOSE",
});

constexpr auto kNonInteractive = std::to_array<std::pair<const char*, const char*>>({
    {"CI", "1"},
    {"TERM", "dumb"},
    {"NO_COLOR", "1"},
    {"EDITOR", "true"},
    {"VISUAL", "true"},
    {"GIT_EDITOR", "true"},
    {"GIT_SEQUENCE_EDITOR", "true"},
    {"GIT_MERGE_AUTOEDIT", "no"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"PAGER", "cat"},
    {"GIT_PAGER", "cat"},
    {"GH_PAGER", "cat"},
    {"MANPAGER", "cat"},
    {"SYSTEMD_PAGER", "cat"},
    {"AWS_PAGER", ""},
    {"GH_PROMPT_DISABLED", "1"},
    {"DEBIAN_FRONTEND", "noninteractive"},
    {"APT_LISTCHANGES_FRONTEND", "none"},
    {"NEEDRESTART_MODE", "a"},
    {"PIP_NO_INPUT", "1"},
    // Password prompts fail at once instead of waiting at a terminal.
    {"SSH_ASKPASS", "/bin/false"},
    {"SSH_ASKPASS_REQUIRE", "force"},
    {"GIT_ASKPASS", "/bin/false"},
    {"SUDO_ASKPASS", "/bin/false"},
});

bool matches(std::string_view name, std::string_view pattern) {
  const bool open_start = pattern.starts_with('*');
  const bool open_end = pattern.ends_with('*');
  if (open_start) pattern.remove_prefix(1);
  if (open_end && !pattern.empty()) pattern.remove_suffix(1);
  if (open_start && open_end) return name.find(pattern) != std::string_view::npos;
  if (open_start) return name.ends_with(pattern);
  if (open_end) return name.starts_with(pattern);
  return name == pattern;
}

template <class Patterns>
bool matches_any(std::string_view name, const Patterns& patterns) {
  return std::ranges::any_of(patterns, [&](const auto& pattern) { return matches(name, pattern); });
}

}  // namespace

bool is_secret_variable(std::string_view name) {
  const std::string upper = to_upper(name);
  if (matches_any(upper, kHarmlessNames)) return false;
  return names_a_secret(name) || matches_any(upper, kSecretNames);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

CommandEnvironment make_command_environment(const std::vector<std::string>& parent,
                                            const EnvironmentOptions& options) {
  CommandEnvironment result;
  std::map<std::string, std::string, std::less<>> kept;
  for (const std::string& variable : parent) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    std::string name = variable.substr(0, equals);
    if (matches_any(name, kStartupNames)) continue;
    const bool is_secret =
        is_secret_variable(name) || holds_secret(std::string_view(variable).substr(equals + 1));
    if (is_secret && !matches_any(name, options.allowed)) {
      result.removed_secrets.push_back(std::move(name));
      continue;
    }
    kept.emplace(std::move(name), variable.substr(equals + 1));  // the first of two wins, as in getenv()
  }
  for (const auto& [name, value] : kNonInteractive) kept.insert_or_assign(name, value);
  if (!options.temporary_directory.empty()) kept.insert_or_assign("TMPDIR", options.temporary_directory);
  for (const auto& [name, value] : options.extra) kept.insert_or_assign(name, value);

  std::ranges::sort(result.removed_secrets);
  const auto repeated = std::ranges::unique(result.removed_secrets);
  result.removed_secrets.erase(repeated.begin(), repeated.end());
  for (const auto& [name, value] : kept) result.variables.push_back(concat(name, "=", value));
  return result;
}

}  // namespace helve::process
