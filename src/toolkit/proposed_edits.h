// Applies the edits that a language server proposes, as one undoable change.
#pragma once

#include <functional>
#include <string>

#include "helve/context.h"
#include "helve/result.h"
#include "lsp/questions.h"

namespace helve::toolkit {

struct EditProposal {
  std::string tool;
  // Asks the server; called again when a file changed meanwhile.
  std::function<Expected<lsp::PlannedEdits>()> plan;
  // "Renamed a to b", made from the plan.
  std::function<std::string(const lsp::PlannedEdits&)> title;
};

// All or nothing. Refuses files outside the workspace and files that rules forbid to read. An edit whose old
// text does not match is never applied.
[[nodiscard]] Result make_proposed_edits(Context& context, const EditProposal& proposal);

}  // namespace helve::toolkit
