// Turns a tool's progress into events of the session, not more than a few a second.
#pragma once

#include <functional>

#include "core/passage.h"

namespace helve {

// Owns all it uses, because a tool that was left behind may go on reporting. Also calls the caller's own
// callback.
[[nodiscard]] std::function<void(const Progress&)> progress_events(const Passage& passage);

}  // namespace helve
