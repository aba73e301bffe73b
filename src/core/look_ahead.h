// What a call would change, found out by a dry run before a person is asked about it.
#pragma once

#include <stop_token>
#include <string>

#include "core/engines.h"
#include "core/passage.h"
#include "core/worker_pool.h"
#include "helve/result.h"

namespace helve {

// The diff in the result of a tool that changed files, or would have; empty when there is none.
[[nodiscard]] std::string diff_in(const Result& result);

// The diff of what the call would change; empty when that cannot be known. An error means that the call could
// not work as things are. It needs no more than leave to read, and leaves no trace in the session.
[[nodiscard]] Expected<std::string> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers,
                                               const Passage& passage, const PermissionRequest& request);

}  // namespace helve
