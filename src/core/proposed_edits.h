// Edits that a language server proposes, made as one change of the workspace that can be undone.
#pragma once

#include <functional>
#include <string>

#include "helve/context.h"
#include "helve/result.h"
#include "lsp/questions.h"

namespace helve {

struct EditProposal {
  std::string tool;
  // Asks the server; called again when a file changed meanwhile.
  std::function<Expected<lsp::PlannedEdits>()> plan;
  // "Renamed a to b", from what was planned.
  std::function<std::string(const lsp::PlannedEdits&)> title;
};

// All or nothing. Files outside of the workspace, and those that may not be read, are refused; an edit that
// does not hit what it means to replace is never made.
[[nodiscard]] Result make_proposed_edits(Context& context, const EditProposal& proposal);

}  // namespace helve
