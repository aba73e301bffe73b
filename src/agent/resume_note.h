// The note that tells a model its turn was interrupted or its background commands ended.
#pragma once

#include <string>
#include <vector>

#include "agent/transcript.h"

namespace helve::agent {

enum class Next {
  kContinue,  // continue the interrupted turn
  kNewTurn,
};

// Commands that were running according to the model's last information: all ids, and command lines for the
// first few. Excludes commands whose end a note from Helve has already reported.
[[nodiscard]] std::vector<std::string> commands_left_running(const Transcript& transcript);

// Empty when there is nothing to report. `ended_commands` are the commands that were left running when the
// session was reopened.
[[nodiscard]] std::string resume_note(const Transcript& transcript,
                                      const std::vector<std::string>& ended_commands, Next next);

}  // namespace helve::agent
