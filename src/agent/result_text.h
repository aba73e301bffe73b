// What a model gets to read of the answer to its call.
#pragma once

#include <string>

#include "agent/entries.h"
#include "helve/result.h"

namespace helve::agent {

// For a call that was started by a run of Helve that did not live to see its end.
[[nodiscard]] Error outcome_unknown(const model::ToolCall& call);

[[nodiscard]] ResultEntry result_of(const std::string& call, const Answer& answer);
// For a call that was not made, or of which nobody knows how it went.
[[nodiscard]] ResultEntry result_of(const std::string& call, const Error& error);

}  // namespace helve::agent
