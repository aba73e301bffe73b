// What a call would do, found out before a person is asked about it.
#pragma once

#include <functional>
#include <string>

#include "core/engines.h"
#include "core/passage.h"
#include "core/worker_pool.h"
#include "helve/result.h"

namespace helve {

// The diff in the result of a tool that changed files, or would have; empty when there is none.
[[nodiscard]] std::string diff_in(const Result& result);

// Adds to the request what the call would do, when that can be known: by what the tool foresees, or by a dry
// run. An error means that the call could not work as things are. It needs no more than leave to read, and
// leaves no trace in the session; `record` is called before a dry run, and can prevent it.
[[nodiscard]] Expected<void> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers,
                                        const Passage& passage, PermissionRequest& request,
                                        const std::function<Expected<void>()>& record);

}  // namespace helve
