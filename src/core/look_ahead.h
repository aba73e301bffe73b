// Finds out what a call would do, so that the approval card can show it.
#pragma once

#include <functional>
#include <string>

#include "core/active_call.h"
#include "core/engines.h"
#include "core/worker_pool.h"
#include "helve/result.h"

namespace helve::core {

// The diff in a tool's result; empty when there is none.
[[nodiscard]] std::string diff_in(const Result& result);

// Adds to the call's request what the call would do: from the tool's foresee(), or from a dry run. Does
// nothing when neither is possible. An error means that the call would fail, whatever the user answers. Needs
// permission to read only, and leaves no trace in the session. `record` runs before a dry run; its failure
// prevents the dry run.
[[nodiscard]] Expected<void> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers,
                                        ActiveCall& active, const std::function<Expected<void>()>& record);

}  // namespace helve::core
