#include "process/command_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"
#include "process/secret_variables.h"

namespace helve::process {
namespace {

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

}  // namespace

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
    if (matches_any_name(name, kStartupNames)) continue;
    const bool secret = is_secret_variable(name, std::string_view(variable).substr(equals + 1));
    if (secret && !matches_any_name(name, options.allowed)) {
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
