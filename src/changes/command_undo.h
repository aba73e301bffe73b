// Undo and redo of a command's change.
#pragma once

#include <string>
#include <string_view>

#include "changes/changes.h"
#include "changes/changes_commit.h"
#include "changes/history_record.h"
#include "changes/history_store.h"
#include "effects/restore.h"
#include "helve/error.h"

namespace helve::changes {

// `made` is the record of the command. Fills in the files and directories of the step. CONFLICT when a path
// is not as the change left it, NOT_FOUND when something was not kept.
[[nodiscard]] Expected<UndoStep> revert_command(const ChangesContext& context, const HistoryStore& history,
                                                const ChangeOrigin& origin, const ChangeRecord& made,
                                                effects::Direction direction, const MayChange& may_change);

// Completes an undo or redo that a kill interrupted.
[[nodiscard]] Expected<void> complete_command_undo(const ChangesContext& context, const HistoryStore& history,
                                                   const ChangeRecord& undo);

// Both contents of the files that a command changed. Of very many, only the first are read.
[[nodiscard]] std::vector<HistoryFileDiff> command_diff(const ChangesContext& context,
                                                        const HistoryStore& history,
                                                        const ChangeRecord& made);

}  // namespace helve::changes
