// Keeps Helve's own files within their limits: removes what is too old or too large.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "settings/groups.h"

namespace helve {
class Runtime;
}

namespace helve::core {

struct StatePlaces {
  std::string state_directory = {};
  std::string data_directory = {};
};

// The places of a runtime that uses the user's data.
[[nodiscard]] StatePlaces state_places(const Runtime& runtime);

// Cleans up once, now: long results and outputs of old sessions (results.*), the undo history of workspaces
// without changes for history.keep_days, caches (caches.*), and agent sessions (agent.keep_sessions). The
// audit and the history of a workspace in use clean up after themselves.
void tidy_state(const StatePlaces& places, const settings::Groups& settings);

// The same, unless a process did so within the last hour, or the state is younger than that.
void tidy_state_if_due(const StatePlaces& places, const settings::Groups& settings);

// For long-running programs: a thread that cleans up soon after the start and then every hour, until the
// handle is destroyed.
[[nodiscard]] std::shared_ptr<void> keep_state_tidy(
    StatePlaces places, const Settings& settings, std::chrono::milliseconds begin = std::chrono::minutes(1));

}  // namespace helve::core
