// Checks the optional programs and libraries, and how to install the missing ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "settings/groups.h"

namespace helve::cli {

// One line of helve doctor.
struct Finding {
  // kMissing: optional; the text says what it is for.
  enum class State { kGood, kWarning, kMissing, kBad };
  State state = State::kGood;
  std::string subject;
  std::string what;
  std::string remedy = {};
  std::string program = {};  // its path, or the name that was not found
  std::string install = {};  // a command that installs it
};

// Shell, ripgrep, git, libcurl and the editor.
[[nodiscard]] std::vector<Finding> check_programs(const SearchSettings& settings);

// One finding for each group of languages: the server that was found, or the best one to install.
[[nodiscard]] std::vector<Finding> check_language_servers(const std::string& workspace,
                                                          const LspSettings& settings);

// One finding for each group of languages that can be formatted, and for each that can be linted: the first
// program in PATH, or the one to install.
[[nodiscard]] std::vector<Finding> check_checkers();

// The programs of the configured MCP servers.
[[nodiscard]] std::vector<Finding> check_mcp_programs(
    const std::map<std::string, McpServerSettings>& servers);

}  // namespace helve::cli
