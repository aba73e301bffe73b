// Undo, redo and the list of changes for the user of a session: without the limits of the tools for models.
#pragma once

#include <cstddef>

#include "core/audit.h"
#include "core/engines.h"
#include "helve/changes.h"
#include "helve/session.h"

namespace helve::core {

[[nodiscard]] Expected<ChangeHistory> list_changes(const Engines& engines, const Session& session);

enum class Direction { kUndo, kRedo };

// Records the action in the audit like a call of the tool undo or history; `audit` may be null. Deny rules
// still protect files.
[[nodiscard]] Expected<UndoOutcome> revert_changes(Engines& engines, Audit* audit, const Session& session,
                                                   Direction direction, std::size_t steps);

}  // namespace helve::core
