// The errors and warnings that an edit brought, told together with its result.
#pragma once

#include <vector>

#include "helve/context.h"
#include "helve/result.h"
#include "workspace/changes.h"

namespace helve {

// Adds them to the result of changes that were made, when the setting lsp.diagnostics_after_edit wants that
// and a language server knows in time; otherwise says that they are pending.
void append_new_diagnostics(Context& context, const std::vector<FileChange>& changes, Output& output);

}  // namespace helve
