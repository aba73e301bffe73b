// The programs and libraries that Helve uses when they are there, and how to get those that are not.
#pragma once

#include <string>
#include <vector>

#include "cli/shell.h"

namespace helve::cli {

// Something a person may want to know about the machine.
struct Finding {
  // kMissing: Helve works without it, and says what it would be good for.
  enum class State { kGood, kWarning, kMissing, kBad };
  State state = State::kGood;
  std::string subject;
  std::string what;
  std::string remedy = {};
  std::string program = {};  // where it was found, or the name that was looked for
  std::string install = {};  // a command that installs it
};

// Shell, ripgrep, git, libcurl and the editor.
[[nodiscard]] std::vector<Finding> check_programs(const Settings& settings);

// One finding for each group of languages: the server that was found, or the best one to install.
[[nodiscard]] std::vector<Finding> check_language_servers(const std::string& workspace,
                                                          const Settings::Lsp& settings);

// One finding for each group of languages that can be formatted, and for each that can be linted: the first
// program in PATH, or the one to install.
[[nodiscard]] std::vector<Finding> check_checkers();

// The programs of the MCP servers that the settings name.
[[nodiscard]] std::vector<Finding> check_mcp_programs(const Settings& settings);

}  // namespace helve::cli
