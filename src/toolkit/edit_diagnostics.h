// Reports the errors and warnings that an edit introduced, together with its result.
#pragma once

#include <vector>

#include "changes/changes.h"
#include "helve/context.h"
#include "helve/result.h"

namespace helve::toolkit {

// Adds them to the result if lsp.diagnostics_after_edit is on and a language server answers in time;
// otherwise says that they are pending.
void append_new_diagnostics(Context& context, const std::vector<changes::FileChange>& changes,
                            Output& output);

}  // namespace helve::toolkit
