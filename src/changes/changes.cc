#include "changes/changes.h"

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "changes/changes_commit.h"
#include "changes/changes_plan.h"
#include "changes/command_change.h"
#include "changes/command_undo.h"
#include "changes/history_store.h"
#include "changes/history_view.h"
#include "changes/journal_inspect.h"
#include "changes/journal_recover.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

// The new content of a file that is not stored whole, if it is still on disk.
std::optional<std::string> new_content_on_disk(const workspace::Root& root, const FileRecord& file,
                                               const FingerprintKey& key) {
  auto seen = read_path_state(root, file.place(patch::SpliceSide::kNew));
  if (!seen || !seen->content) return std::nullopt;
  const std::string_view content = *seen->content;
  if (!is_content(file, patch::SpliceSide::kNew, std::span(&content, 1), key)) return std::nullopt;
  return std::move(seen->content);
}

HistoryFileDiff diff_of(const workspace::Root& root, const HistoryStore& store, std::string_view id,
                        const FileRecord& file) {
  HistoryFileDiff diff{to_history_file(outline_of(file)), {}, {}};
  auto old_bytes = file.has_old() ? store.fetch(file.old_bytes, id) : Expected<std::string>(std::string());
  auto new_bytes = file.has_new() ? store.fetch(file.new_bytes, id) : Expected<std::string>(std::string());
  if (!old_bytes || (!new_bytes && file.new_is_whole)) {
    diff.left_out = true;
    return diff;
  }
  if (!file.has_new()) {
    diff.before = std::move(*old_bytes);
    return diff;
  }
  std::optional<std::string> after;
  if (file.new_is_whole) after = std::move(*new_bytes);
  if (!after) after = new_content_on_disk(root, file, store.log().key());
  if (after) {
    if (file.has_old())
      diff.before =
          patch::join_pieces(patch::turn_content(file.splice, patch::SpliceSide::kNew, *after, *old_bytes));
    diff.after = std::move(after);
    return diff;
  }
  diff.left_out = !new_bytes;
  if (diff.left_out) return diff;
  diff.partial = true;
  if (file.has_old()) diff.before = std::move(*old_bytes);
  diff.after = std::move(*new_bytes);
  return diff;
}

}  // namespace

Expected<Changes> Changes::open(const workspace::Root& root, const std::string& state_directory,
                                const ChangeOptions& options) {
  if (!state_directory.starts_with('/'))
    return fail(ErrorCode::kInvalidArgument,
                concat("The state directory ", workspace::printable_path(state_directory),
                       " is not an absolute path."),
                "Use an absolute path.");
  return Changes(root, history_path(state_directory, root.path()), options);
}

Expected<Committed> Changes::commit(const ChangeOrigin& origin, std::span<const FileChange> changes) {
  return commit_set({*root_, directory_, options_}, {.origin = origin, .changes = changes});
}

Expected<std::unique_ptr<CommandChange>> Changes::begin_command(const ChangeOrigin& origin,
                                                                const effects::Budget& budget,
                                                                const effects::LeftOut& left_out) const {
  return CommandChange::begin(*root_, directory_, options_, origin, budget, left_out);
}

Expected<RecoveryReport> Changes::recover() {
  const auto store = HistoryStore::open(directory_, HistoryLog::Missing::kRefuse, options_.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return RecoveryReport{};
  if (!store) return fail(store.error());
  return recover_changes({*root_, directory_, options_}, *store, RecoveryScope::kAllOnce);
}

Expected<HistoryList> Changes::list(const ChangeFilter& filter, std::size_t most) const {
  const auto resolved = resolve_filter(*root_, filter);
  if (!resolved) return fail(resolved.error());
  HistoryList list;
  const auto store = HistoryStore::open(directory_, HistoryLog::Missing::kRefuse, options_.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return list;
  if (!store) return fail(store.error());
  auto outline = store->log().outline();
  if (!outline) return fail(outline.error());
  if (const auto usage = store->log().usage()) list.bytes_used = usage->bytes;
  const HistoryView view(*std::move(outline));
  for (const HistoryView::Change& change : view.changes() | std::views::reverse) {
    if (!matches(*change.record, *resolved)) continue;
    ++list.total;
    if (change.state == ChangeState::kApplied) ++list.applied;
    if (change.state == ChangeState::kUndone) ++list.undone;
    if (change.redoable) ++list.redoable;
    if (list.entries.size() < most) list.entries.push_back(to_entry(change));
  }
  for (const DamagedRecord& damaged : view.damaged()) list.damaged.push_back(damage_text(damaged));
  if (const HistoryView::Change* next = view.last_undone(*resolved)) list.next_redo = next->record->id;
  return list;
}

Expected<std::vector<std::string>> check_history(const std::string& directory) {
  std::vector<std::string> lines;
  const auto store =
      HistoryStore::open(directory, HistoryLog::Missing::kRefuse, workspace::Durability::kNone);
  if (!store && store.error().code == ErrorCode::kNotFound) return lines;
  if (!store) return fail(store.error());
  const auto outline = store->log().outline();
  if (!outline) return fail(outline.error());
  for (const DamagedRecord& damaged : outline->damaged()) lines.push_back(damage_text(damaged));
  return lines;
}

Expected<HistoryDiff> Changes::diff(std::string_view change_id) const {
  const auto unknown = [&] {
    return fail(ErrorCode::kNotFound,
                concat("The history has no change ", workspace::printable_path(change_id), "."),
                "history lists the changes and their ids. Old changes are deleted.");
  };
  const auto store = HistoryStore::open(directory_, HistoryLog::Missing::kRefuse, options_.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return unknown();
  if (!store) return fail(store.error());
  auto outline = store->log().outline();
  if (!outline) return fail(outline.error());
  const HistoryView view(*std::move(outline));
  const HistoryView::Change* change = view.find(change_id);
  if (change == nullptr) return unknown();
  const auto whole = store->log().find(change_id);
  if (!whole) return fail(whole.error());
  if (!*whole) return unknown();
  HistoryDiff diff{to_entry(*change), {}};
  if ((*whole)->of_command) {
    diff.files = command_diff({*root_, directory_, options_}, *store, **whole);
    return diff;
  }
  for (const FileRecord& file : (*whole)->files)
    diff.files.push_back(diff_of(*root_, *store, change_id, file));
  return diff;
}

Expected<ClearReport> Changes::clear(const ChangeFilter& filter) {
  const auto resolved = resolve_filter(*root_, filter);
  if (!resolved) return fail(resolved.error());
  const auto store = HistoryStore::open(directory_, HistoryLog::Missing::kRefuse, options_.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return ClearReport{};
  if (!store && store.error().kind == ErrorKind::kHistoryDamaged && !filter.session && !filter.path) {
    HistoryStore::destroy(directory_);
    return ClearReport{};
  }
  if (!store) return fail(store.error());
  return drop_records(
      *store, [&](const LoggedRecord& logged) { return matches(logged.record, *resolved); },
      options_.durability);
}

}  // namespace helve::changes
