// The answers of undo and history.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "changes/changes.h"
#include "helve/context.h"
#include "helve/result.h"
#include "patch/change_report.h"

namespace helve::toolkit {

// All changes of one file, or the changes of the session.
[[nodiscard]] changes::ChangeFilter filter_for(const Context& context,
                                               const std::optional<std::string>& path);

// One change as text and as data.
[[nodiscard]] std::string files_text(const changes::HistoryEntry& entry);
[[nodiscard]] std::string entry_line(const changes::HistoryEntry& entry);
[[nodiscard]] JsonObject entry_json(const changes::HistoryEntry& entry);

// Collects what the data of undo and redo say about texts: lengths, diff, and the new lines around the
// changes.
class RestoredTexts {
 public:
  // Returns the lengths of this file's texts.
  JsonObject add(std::string_view path, std::string_view old_text, std::string_view new_text,
                 const patch::ChangeReport& change);
  // Adds oldTextLength, newTextLength, diff and snippet.
  void write(Json& data) const;

 private:
  std::size_t old_length_ = 0;
  std::size_t new_length_ = 0;
  std::string diff_;
  std::vector<std::pair<std::string, std::string>> snippets_;  // by path
};

// A note about changes that other sessions made after this session's newest change; empty without any. Undo
// without a path does not touch them, but the user may have meant them.
[[nodiscard]] std::string newer_changes_of_others(const Context& context);

// `verb` is "Undid" or "Redid". The session is taken to have seen the restored files.
[[nodiscard]] Result describe_undo(const Context& context, const changes::UndoReport& report,
                                   std::string_view verb);
[[nodiscard]] Result describe_list(const Expected<changes::HistoryList>& list);
// The newest matching change, as a diff.
[[nodiscard]] Result describe_last_change(const Context& context, const changes::ChangeFilter& filter);
// Checks the rules for every file of a change set, because a call names at most one of them.
[[nodiscard]] changes::MayChange may_change(const Context& context);

}  // namespace helve::toolkit
