// Chooses the shell for commands and its arguments, so that the user's start-up files are not read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/find_program.h"
#include "helve/error.h"

namespace helve::process {

enum class ShellKind { kBash, kZsh, kSh, kPowerShell, kCmd };

struct Shell {
  ShellKind kind = ShellKind::kSh;
  std::string program = "/bin/sh";  // absolute
  bool operator==(const Shell&) const = default;
};

[[nodiscard]] std::string_view to_string(ShellKind kind);  // "bash"

// The kind for a program's name: /usr/bin/zsh → kZsh; dash and ksh count as sh. Empty: not a supported shell.
[[nodiscard]] std::optional<ShellKind> shell_kind_of(std::string_view program);

// Finds the path of a program; replaced in tests.
using FindProgram = std::function<std::optional<std::string>(const std::string& name)>;

// The user's login shell if it is of the Bourne family, otherwise bash, otherwise sh. Models write Bourne
// shell commands, so fish and others are skipped.
[[nodiscard]] Shell detect_shell(std::string_view login_shell, const FindProgram& find = find_program);

// The shell that a setting names: a kind ("zsh") or a program ("/opt/bin/bash"); empty or "auto" detects.
[[nodiscard]] Expected<Shell> choose_shell(std::string_view setting, std::string_view login_shell,
                                           const FindProgram& find = find_program);

// The arguments that make the shell run `command`, the program first.
[[nodiscard]] std::vector<std::string> shell_arguments(const Shell& shell, std::string command);

// Joins arguments into one line, quoted for a shell.
[[nodiscard]] std::string quoted_line(const std::vector<std::string>& arguments);

}  // namespace helve::process
