// Keeps what Helve writes for itself within its limits: removes what is too old or too much.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "helve/settings.h"

namespace helve {

class Runtime;

struct StatePlaces {
  std::string state_directory = {};
  std::string data_directory = {};
};

// Those of a runtime that has the user's data.
[[nodiscard]] StatePlaces state_places(const Runtime& runtime);

// Once, now. Long results and outputs of old sessions (results.*), the undo history of workspaces where
// nothing was changed for longer than history.keep_days, caches (caches.*), and agent sessions
// (agent.keep_sessions). The audit and the history of a workspace in use look after themselves.
void tidy_state(const StatePlaces& places, const Settings& settings);

// The same, unless some process did so within the last hour, or there has been a state for less than that.
void tidy_state_if_due(const StatePlaces& places, const Settings& settings);

// For programs that run for long: a thread that does so a while after the start and then every hour, until
// the handle is destroyed.
[[nodiscard]] std::shared_ptr<void> keep_state_tidy(
    StatePlaces places, Settings settings, std::chrono::milliseconds begin = std::chrono::minutes(1));

}  // namespace helve
