#include "helve/context.h"

#include "core/engines.h"

namespace helve {

const std::string& Context::workspace() const { return parts_.engines->root.path(); }

Error Context::stop_error() const {
  if (parts_.stop.stop_requested() && Clock::now() < parts_.deadline)
    return {ErrorCode::kCancelled, "The call was cancelled."};
  return {ErrorCode::kTimeout, "The call did not finish in time.",
          "Ask for less at once, or call again with a longer time limit."};
}

void Context::report(const Progress& progress) const {
  if (parts_.on_progress) parts_.on_progress(progress);
}

Logger& Context::log() const { return parts_.engines->logger; }

}  // namespace helve
