// Runs an agent for a user or a script: shared by `helve agent` and `helve sessions resume`.
#pragma once

#include <optional>
#include <string>

#include "app/invocation.h"

namespace helve::chat {

enum class AgentOutput {
  kLog,     // the model's text and one line per call
  kEvents,  // one event as JSON per line
  kFinal,   // only the model's last text
};

struct AgentOptions {
  std::string task = {};     // empty: finish the interrupted turn
  bool resume = false;       // continue an earlier session
  std::string session = {};  // its id; empty: the newest of the workspace
  std::string model = {};    // overrides the setting model.name
  std::optional<int> rounds = {};
  AgentOutput output = AgentOutput::kLog;
  bool answers_on_stdin = false;
  bool interactive = false;  // chat at the terminal instead of a single turn
};

// Returns the exit code.
[[nodiscard]] int run_agent(const app::Invocation& shell, const AgentOptions& options);

}  // namespace helve::chat
