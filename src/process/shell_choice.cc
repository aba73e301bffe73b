#include "process/shell_choice.h"

#include <array>

#include "base/strings.h"

namespace helve::process {
namespace {

struct ShellName {
  std::string_view name;
  ShellKind kind;
};
constexpr auto kShellNames = std::to_array<ShellName>({
    {"bash", ShellKind::kBash},
    {"zsh", ShellKind::kZsh},
    {"sh", ShellKind::kSh},
    {"dash", ShellKind::kSh},
    {"ksh", ShellKind::kSh},
    {"pwsh", ShellKind::kPowerShell},
    {"powershell", ShellKind::kPowerShell},
    {"cmd", ShellKind::kCmd},
});

bool is_bourne(ShellKind kind) {
  return kind == ShellKind::kBash || kind == ShellKind::kZsh || kind == ShellKind::kSh;
}

}  // namespace

std::string_view to_string(ShellKind kind) {
  switch (kind) {
    case ShellKind::kBash: return "bash";
    case ShellKind::kZsh: return "zsh";
    case ShellKind::kSh: return "sh";
    case ShellKind::kPowerShell: return "PowerShell";
    case ShellKind::kCmd: return "cmd";
  }
  return "sh";
}

std::optional<ShellKind> shell_kind_of(std::string_view program) {
  if (const std::size_t slash = program.find_last_of("/\\"); slash != std::string_view::npos)
    program.remove_prefix(slash + 1);
  std::string name = to_lower(program);
  if (name.ends_with(".exe")) name.resize(name.size() - 4);
  for (const ShellName& known : kShellNames)
    if (known.name == name) return known.kind;
  return {};
}

Shell detect_shell(std::string_view login_shell, const FindProgram& find) {
  if (login_shell.starts_with('/')) {
    const auto kind = shell_kind_of(login_shell);
    if (kind && is_bourne(*kind)) {
      if (auto program = find(std::string(login_shell))) return {*kind, std::move(*program)};
    }
  }
  for (const char* name : {"bash", "/bin/bash"})
    if (auto program = find(name)) return {ShellKind::kBash, std::move(*program)};
  if (auto program = find("sh")) return {ShellKind::kSh, std::move(*program)};
  return {};
}

Expected<Shell> choose_shell(std::string_view setting, std::string_view login_shell,
                             const FindProgram& find) {
  if (setting.empty() || setting == "auto") return detect_shell(login_shell, find);
  const auto kind = shell_kind_of(setting);
  if (!kind)
    return fail(ErrorCode::kInvalidArgument,
                concat("The shell setting \"", setting, "\" is not a supported shell."),
                "Use bash, zsh, sh, pwsh, a path to one of them, or auto.");
  // PowerShell has two program names; try both.
  std::vector<std::string> names = {std::string(setting)};
  if (*kind == ShellKind::kPowerShell && setting.find('/') == std::string_view::npos)
    names = {"pwsh", "powershell"};
  for (const std::string& name : names)
    if (auto program = find(name)) return Shell{*kind, std::move(*program)};
  return fail(ErrorCode::kNotFound, concat("There is no shell ", setting, " on this machine."),
              "Install it, or set another shell or auto.");
}

std::vector<std::string> shell_arguments(const Shell& shell, std::string command) {
  std::vector<std::string> arguments = {shell.program};
  const auto add = [&](std::initializer_list<const char*> options) {
    arguments.insert(arguments.end(), options.begin(), options.end());
  };
  switch (shell.kind) {
    case ShellKind::kBash: add({"--noprofile", "--norc", "-c"}); break;
    case ShellKind::kZsh: add({"-f", "-c"}); break;
    case ShellKind::kSh: add({"-c"}); break;
    case ShellKind::kPowerShell: add({"-NoLogo", "-NoProfile", "-NonInteractive", "-Command"}); break;
    case ShellKind::kCmd: add({"/d", "/s", "/c"}); break;
  }
  arguments.push_back(std::move(command));
  return arguments;
}

std::string quoted_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\n\r\"'\\$`;&|<>()*?[]{}~#!") == std::string::npos;
    line += concat(line.empty() ? "" : " ", plain ? argument : shell_quoted(argument));
  }
  return line;
}

}  // namespace helve::process
