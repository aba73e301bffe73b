#include "core/metrics.h"

#include <algorithm>

namespace helve {

void Metrics::count(const std::string& tool, const std::string& outcome, double milliseconds) {
  const std::lock_guard lock(mutex_);
  PerTool& entry = tools_[tool];
  ++entry.calls;
  ++entry.outcomes[outcome];
  entry.total_ms += milliseconds;
  entry.longest_ms = std::max(entry.longest_ms, milliseconds);
}

Json Metrics::to_json() const {
  const std::lock_guard lock(mutex_);
  JsonObject tools;
  for (const auto& [name, entry] : tools_) {
    JsonObject outcomes;
    for (const auto& [outcome, count] : entry.outcomes) outcomes.append(outcome, count);
    tools.append(name, JsonObject{{"calls", entry.calls},
                                  {"outcomes", std::move(outcomes)},
                                  {"totalMs", entry.total_ms},
                                  {"longestMs", entry.longest_ms}});
  }
  return tools;
}

}  // namespace helve
