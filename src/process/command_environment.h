// The environment in which commands run: the user's, without secrets and without what asks questions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::process {

struct EnvironmentOptions {
  // Names that are kept though they look like secrets; a star at the end stands for any rest (`NPM_*`).
  std::vector<std::string> allowed = {};
  // Set last, so that they win over everything else.
  std::vector<std::pair<std::string, std::string>> extra = {};
  std::string temporary_directory = "/tmp";  // TMPDIR; empty: as the parent has it
};

struct CommandEnvironment {
  std::vector<std::string> variables = {};  // NAME=value, sorted by name, no name twice
  // What was taken away because it looks like a secret; names only, for the result.
  std::vector<std::string> removed_secrets = {};
};

// `parent` is in the form of `environ`. Secrets go, and so does what makes a shell or the loader run
// something of its own (BASH_ENV, LD_PRELOAD, exported functions, …), also when allowed by name. What stops
// programs from asking or paging (CI, GIT_TERMINAL_PROMPT, PAGER, …) is added.
[[nodiscard]] CommandEnvironment make_command_environment(const std::vector<std::string>& parent,
                                                          const EnvironmentOptions& options = {});

// This process's environment.
[[nodiscard]] std::vector<std::string> own_environment();

// Whether a variable of this name is taken away unless allowed.
[[nodiscard]] bool is_secret_variable(std::string_view name);

}  // namespace helve::process
