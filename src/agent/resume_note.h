// What a model has to be told when its session goes on after it was cut off or its program ended.
#pragma once

#include <string>

#include "agent/transcript.h"

namespace helve::agent {

enum class Next {
  kGoesOn,  // the turn that was cut off
  kNewTurn,
};

// Empty when there is nothing to say. `new_program`: the transcript is that of a program which has ended, and
// its background commands with it.
[[nodiscard]] std::string resume_note(const Transcript& transcript, bool new_program, Next next);

}  // namespace helve::agent
