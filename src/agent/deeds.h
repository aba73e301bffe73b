// What of a session goes into the index of what was done: "in which session was this file changed?"
#pragma once

#include <optional>

#include "agent/transcript.h"
#include "store/history_index.h"

namespace helve::agent {

// What the person said, and calls that may have had effects, once they are through. The entry is not yet part
// of the transcript.
[[nodiscard]] std::optional<store::Deed> deed_of(const Transcript& transcript, const Entry& entry);

}  // namespace helve::agent
