// What a call changes, or would change, as a diff.
#pragma once

#include <memory>
#include <string>

#include "helve/runtime.h"

namespace helve::cli {

// The diff in the answer of a tool that changed files; empty when there is none.
[[nodiscard]] std::string change_in(const Answer& answer);

// Finds out by a dry run, which needs no more than leave to read. Empty when that cannot be done.
[[nodiscard]] std::string look_ahead(Runtime& runtime, const std::shared_ptr<Session>& session,
                                     const PermissionRequest& request);

}  // namespace helve::cli
