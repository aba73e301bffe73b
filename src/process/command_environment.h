// The environment of commands: the user's, without secrets and with settings that prevent prompts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::process {

struct EnvironmentOptions {
  // Names that are kept although they look like secrets; a trailing star matches any suffix (`NPM_*`).
  std::vector<std::string> allowed = {};
  // Set last; they override everything else.
  std::vector<std::pair<std::string, std::string>> extra = {};
  std::string temporary_directory = "/tmp";  // TMPDIR; empty: unchanged
};

struct CommandEnvironment {
  std::vector<std::string> variables = {};  // NAME=value, sorted by name, no name twice
  // Names of removed variables that look like secrets, for the result.
  std::vector<std::string> removed_secrets = {};
};

// `parent` has the format of `environ`. Removes secrets, and also variables that make a shell or the loader
// run other code (BASH_ENV, LD_PRELOAD, exported functions, …), even if allowed by name. Adds variables that
// stop programs from prompting or paging (CI, GIT_TERMINAL_PROMPT, PAGER, …).
[[nodiscard]] CommandEnvironment make_command_environment(const std::vector<std::string>& parent,
                                                          const EnvironmentOptions& options = {});

// This process's environment.
[[nodiscard]] std::vector<std::string> own_environment();

}  // namespace helve::process
