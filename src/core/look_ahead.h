// What a call would change, found out by a dry run before a person is asked about it.
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

// Adds the diff of what the call would change to the request, when that can be known. An error means that the
// call could not work as things are. It needs no more than leave to read, and leaves no trace in the session;
// `record` is called before it runs anything, and can prevent it.
[[nodiscard]] Expected<void> look_ahead(const std::shared_ptr<Engines>& engines, WorkerPool& workers,
                                        const Passage& passage, PermissionRequest& request,
                                        const std::function<Expected<void>()>& record);

}  // namespace helve
