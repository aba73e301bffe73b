// Which shell runs commands, and how it is called so that no start-up file of the user has a say in it.
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

// What a program's name says about it: /usr/bin/zsh → kZsh; dash and ksh count as sh. None: not a shell for
// commands.
[[nodiscard]] std::optional<ShellKind> shell_kind_of(std::string_view program);

// The seam for tests: where a program of this name is, if it is there.
using FindProgram = std::function<std::optional<std::string>(const std::string& name)>;

// The user's login shell when commands can be written for it, otherwise bash, otherwise sh. Models write for
// a shell of the Bourne family, so fish and others are passed over.
[[nodiscard]] Shell detect_shell(std::string_view login_shell, const FindProgram& find = find_program);

// The shell that a setting names: a kind ("zsh") or a program ("/opt/bin/bash"); empty or "auto" detects.
[[nodiscard]] Expected<Shell> choose_shell(std::string_view setting, std::string_view login_shell,
                                           const FindProgram& find = find_program);

// The arguments that make the shell run `command`, the program first.
[[nodiscard]] std::vector<std::string> shell_arguments(const Shell& shell, std::string command);

// Arguments as one line that a shell would take apart into them again.
[[nodiscard]] std::string quoted_line(const std::vector<std::string>& arguments);

}  // namespace helve::process
