// What a model has to be told when its session goes on after it was cut off or its program ended.
#pragma once

#include <string>
#include <vector>

#include "agent/transcript.h"

namespace helve::agent {

enum class Next {
  kGoesOn,  // the turn that was cut off
  kNewTurn,
};

// Commands that ran when the model last heard of them, as it will read them: all by their ids, the first few
// with their lines. Not those whose end it was told: an id in a note from Helve is one.
[[nodiscard]] std::vector<std::string> commands_left_running(const Transcript& transcript);

// Empty when there is nothing to say. `ended_commands`: those that were left running when the session was
// opened again.
[[nodiscard]] std::string resume_note(const Transcript& transcript,
                                      const std::vector<std::string>& ended_commands, Next next);

}  // namespace helve::agent
