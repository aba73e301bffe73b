// Runs an agent for a person or a script: what `helve agent` and `helve sessions resume` share.
#pragma once

#include <optional>
#include <string>

#include "cli/agent_printer.h"
#include "cli/shell.h"

namespace helve::cli {

struct AgentOrder {
  std::string task = {};     // empty: finish what was left unfinished
  bool resume = false;       // an earlier session
  std::string session = {};  // its id; empty: the newest of the workspace
  std::string model = {};    // instead of the setting's
  std::optional<int> rounds = {};
  AgentOutput output = AgentOutput::kLog;
  bool answers_on_stdin = false;
  bool interactive = false;  // a person is at the terminal, turn after turn
};

// Returns the exit code.
[[nodiscard]] int run_agent(const Shell& shell, const AgentOrder& order);

}  // namespace helve::cli
