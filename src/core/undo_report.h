// What undo and history answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helve/context.h"
#include "helve/result.h"
#include "workspace/changes.h"

namespace helve {

// Changes of one file by anyone, or of the session.
[[nodiscard]] ChangeFilter filter_for(const Context& context, const std::optional<std::string>& path);

// One change for people and for programs.
[[nodiscard]] std::string files_text(const HistoryEntry& entry);
[[nodiscard]] std::string entry_line(const HistoryEntry& entry);
[[nodiscard]] JsonObject entry_json(const HistoryEntry& entry);

// What other sessions changed after this session's newest change, in words; nothing where nobody did. Undo
// without a path leaves it alone, and who asked for it may have meant just that.
[[nodiscard]] std::string newer_changes_of_others(const Context& context);

// `verb` is "Took back" or "Made again". The session is taken to have seen the restored files.
[[nodiscard]] Result describe_undo(const Context& context, const UndoReport& report, std::string_view verb);
[[nodiscard]] Result describe_list(const Expected<HistoryList>& list);
// The newest change that fits, as a diff.
[[nodiscard]] Result describe_last_change(const Context& context, const ChangeFilter& filter);
// By the rules for the files of a change set, of which a call names one at most.
[[nodiscard]] MayChange may_change(const Context& context);

}  // namespace helve
