// Changes::undo and Changes::redo.
#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "base/strings.h"
#include "changes/changes.h"
#include "changes/changes_commit.h"
#include "changes/changes_plan.h"
#include "changes/changes_record.h"
#include "changes/command_undo.h"
#include "changes/history_record.h"
#include "changes/history_store.h"
#include "changes/history_view.h"
#include "changes/journal_inspect.h"
#include "changes/journal_locks.h"
#include "changes/journal_recover.h"
#include "helve/error.h"
#include "patch/diff.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using Kind = FileChange::Kind;

enum class InvertFor { kUndo, kRedo };  // for error messages

// The change set that undoes another one. Owned by one thread. The changes point into the other members.
struct Inverse {
  std::vector<FileChange> changes;
  std::vector<RestoredFile> reports;  // one per change; the commit fills in the rest
  std::vector<std::unique_ptr<const std::string>> contents;
};

constexpr std::size_t kMaxDiffLines = 200;
constexpr std::size_t kMaxDiffBytes = std::size_t{16} << 10;

bool is_text(std::string_view content) { return !content.contains('\0'); }

// Inverts one change set. CONFLICT when a file is not as the record left it; for text that is not too large,
// the details contain a diff from what Helve left to the current content. NOT_FOUND when the old bytes are
// not stored.
class Inverter {
 public:
  Inverter(const ChangesContext& context, const HistoryStore& store, const ChangeRecord& record,
           InvertFor purpose)
      : context_(context), store_(store), record_(record), purpose_(purpose) {}

  Expected<Inverse> run();

 private:
  Expected<void> invert(const FileRecord& file);
  [[nodiscard]] Expected<void> check(const FileRecord& file, const PathState& now) const;
  [[nodiscard]] Error refuse(std::string_view path, std::string_view reason, std::string_view what) const;
  [[nodiscard]] Error changed_error(const FileRecord& file, const std::string& now) const;
  std::string_view own(std::string content) {
    inverse_.contents.push_back(std::make_unique<const std::string>(std::move(content)));
    return *inverse_.contents.back();
  }

  const ChangesContext& context_;
  const HistoryStore& store_;
  const ChangeRecord& record_;
  InvertFor purpose_;
  Inverse inverse_;
};

Error Inverter::refuse(std::string_view path, std::string_view reason, std::string_view what) const {
  const bool is_undo = purpose_ == InvertFor::kUndo;
  const std::string shown = workspace::printable_path(path);
  return {ErrorCode::kConflict,
          concat(shown, what, is_undo ? " since Helve changed it" : " since Helve undid its change", ", so ",
                 is_undo ? "undo" : "redo", " would lose that. Nothing was changed."),
          "Read the file as it is now and edit it instead.",
          JsonObject{{"path", shown}, {"reason", reason}, {"changeId", record_.id}}};
}

Error Inverter::changed_error(const FileRecord& file, const std::string& now) const {
  const std::string& path = file.place(patch::SpliceSide::kNew);
  Error error = refuse(path, "changed", " was changed by someone else");
  const auto left = file.new_is_whole ? store_.fetch(file.new_bytes, record_.id)
                                      : fail(ErrorCode::kNotFound, std::string());
  if (!left || !is_text(*left) || !is_text(now) || now.size() > context_.options.largest_reported) {
    error.details["bytesThen"] = file.splice.size(patch::SpliceSide::kNew);
    error.details["bytesNow"] = now.size();
    return error;
  }
  const patch::UnifiedDiff diff = patch::unified_diff(
      *left, now,
      {.old_path = path, .new_path = path, .max_lines = kMaxDiffLines, .max_bytes = kMaxDiffBytes});
  error.message += concat(" Difference:\n", diff.text);
  error.details["diff"] = diff.text;
  error.details["addedLines"] = diff.added_lines;
  error.details["removedLines"] = diff.removed_lines;
  if (diff.is_cut()) error.details["diffLinesLeftOut"] = diff.lines_left_out;
  return error;
}

Expected<void> Inverter::check(const FileRecord& file, const PathState& now) const {
  const std::string& path = file.place(patch::SpliceSide::kNew);
  if (now.is_other)
    return fail(refuse(path, "changed", " was replaced by something that is not a regular file"));
  if (!file.has_new()) {
    if (now.content) return fail(refuse(path, "created", " was created by someone else"));
    return {};
  }
  if (!now.content) return fail(refuse(path, "deleted", " was removed by someone else"));
  const std::string_view content = *now.content;
  if (!is_content(file, patch::SpliceSide::kNew, std::span(&content, 1), store_.log().key()))
    return fail(changed_error(file, *now.content));
  const bool changed_mode = file.has_old() && file.old_mode != file.new_mode;
  if (changed_mode && file.new_mode != (now.status.st_mode & 07777))
    return fail(refuse(path, "mode", " had its mode changed by someone else"));
  if (file.kind == Kind::kMove) {
    const auto place = read_path_state(context_.root, file.path);
    if (!place) return fail(place.error());
    if (!place->is_absent()) return fail(refuse(file.path, "created", " was created by someone else"));
  }
  return {};
}

Expected<void> Inverter::invert(const FileRecord& file) {
  auto now = read_path_state(context_.root, file.place(patch::SpliceSide::kNew));
  if (!now) return fail(now.error());
  if (auto checked = check(file, *now); !checked) return checked;
  FileChange change;
  change.path = file.place(patch::SpliceSide::kNew);
  change.kind = file.creates() ? Kind::kRemove : file.kind == Kind::kMove ? Kind::kMove : Kind::kWrite;
  if (file.kind == Kind::kMove) change.new_path = file.path;
  if (file.in_place) change.hard_links = HardLinks::kWriteInPlace;
  RestoredFile report;
  if (now->content) {
    change.old_content = own(std::move(*now->content));
    change.expected =
        workspace::ExpectedState::of_content(workspace::identity_of(now->status), *change.old_content);
  }
  if (file.has_old()) {
    auto old_bytes = store_.fetch(file.old_bytes, record_.id);
    if (!old_bytes) return fail(old_bytes.error());
    const std::string_view bytes = own(std::move(*old_bytes));
    change.content =
        patch::turn_content(file.splice, patch::SpliceSide::kNew, change.old_content.value_or(""), bytes);
    if (file.old_mode != file.new_mode || !file.has_new()) change.mode = file.old_mode;
    if (file.has_new()) report.mode = change.mode;
  }
  const std::size_t most = context_.options.largest_reported;
  report.content_left_out =
      file.splice.size(patch::SpliceSide::kOld) > most || file.splice.size(patch::SpliceSide::kNew) > most;
  if (!report.content_left_out) {
    report.old_content = change.old_content.value_or("");
    if (change.content) report.new_content = patch::join_pieces(*change.content);
  }
  inverse_.changes.push_back(std::move(change));
  inverse_.reports.push_back(std::move(report));
  return {};
}

Expected<Inverse> Inverter::run() {
  if (std::string reason = not_undoable_text(record_); !reason.empty())
    return fail(ErrorCode::kNotFound, concat("The old content was not kept: ", reason, "."),
                "Restore the old content from version control or a backup.",
                JsonObject{{"reason", "too_large"}, {"changeId", record_.id}});
  for (const FileRecord& file : record_.files | std::views::reverse)
    if (auto inverted = invert(file); !inverted) return fail(inverted.error());
  return std::move(inverse_);
}

std::string change_text(const RecordOutline& record) {
  return concat(record.id, " (", record.origin.tool.empty() ? "a change" : record.origin.tool, ", ",
                time_text(record), ")");
}

// One call of undo or redo.
class Reverter {
 public:
  Reverter(const ChangesContext& context, const ChangeOrigin& origin, const ChangeFilter& filter,
           InvertFor purpose, const MayChange& may_change)
      : context_(context), origin_(origin), filter_(filter), purpose_(purpose), may_change_(may_change) {}

  Expected<UndoReport> run(std::size_t steps);

 private:
  [[nodiscard]] bool is_undo() const { return purpose_ == InvertFor::kUndo; }
  [[nodiscard]] Error nothing_to_revert_error(const HistoryView* view) const;
  [[nodiscard]] Error blocked_error(const HistoryView::Change& chosen,
                                    const HistoryView::Change& other) const;
  [[nodiscard]] Error damaged_error(const DamagedRecord& damaged) const;
  Expected<UndoStep> revert(const HistoryStore& store, const HistoryView::Change& change) const;
  Expected<UndoStep> revert_command(const HistoryStore& store, const HistoryView::Change& change) const;
  // True if it settled something.
  Expected<bool> settle_interrupted(const HistoryStore& store) const;
  // Also updates the counts, which may be too high if the oldest changes are being pruned.
  Expected<UndoStep> step(const HistoryStore& store, UndoReport& report) const;

  const ChangesContext& context_;
  const ChangeOrigin& origin_;
  const ChangeFilter& filter_;
  InvertFor purpose_;
  const MayChange& may_change_;
};

Error Reverter::nothing_to_revert_error(const HistoryView* view) const {
  std::string message = concat("There is nothing to ", is_undo() ? "undo" : "redo");
  if (filter_.path) message += concat(" for ", workspace::printable_path(*filter_.path));
  if (filter_.session) message += " in this session";
  message += ".";
  Error error{ErrorCode::kNotFound, std::move(message), is_undo() ? "history shows what Helve changed." : ""};
  if (view == nullptr) return error;
  const std::size_t undone = is_undo() ? view->count_redoable(filter_) : 0;
  if (undone > 0)
    error.hint = concat(count_of(undone, "change"), undone == 1 ? " was" : " were",
                        " already undone. To redo the last one: history with the action redo.");
  const HistoryView::Change* other = is_undo() ? view->newest_applied({}) : nullptr;
  if (undone == 0 && other != nullptr) {
    const std::string path = workspace::printable_path(other->record->files.front().place_now());
    error.hint = concat("Helve's last change in this workspace was to ", path,
                        ". To undo it: undo with the path ", path, ".");
  }
  return error;
}

Error Reverter::blocked_error(const HistoryView::Change& chosen, const HistoryView::Change& other) const {
  const std::string shown = workspace::printable_path(common_path(*other.record, *chosen.record));
  return {.code = ErrorCode::kConflict,
          .message = concat("Change ", change_text(*chosen.record), " also touches ", shown, ", which ",
                            change_text(*other.record), is_undo() ? " changed later" : " changed before it",
                            ". Changes are ", is_undo() ? "undone" : "redone",
                            " as a whole, so nothing was changed."),
          .hint = is_undo()
                      ? concat("Undo that one first: undo with the path ", shown, ".")
                      : concat("Redo that one first: history with the action redo and the path ", shown, "."),
          .details = JsonObject{{"reason", "other_change"},
                                {"path", shown},
                                {"changeId", chosen.record->id},
                                {"otherChangeId", other.record->id}},
          .kind = ErrorKind::kOtherChange};
}

Error Reverter::damaged_error(const DamagedRecord& damaged) const {
  const std::string_view verb = is_undo() ? "undo" : "redo";
  return {
      .code = ErrorCode::kExecutionFailed,
      .message = concat(damage_text(damaged), " It may be the change to ", verb, ", so nothing was changed."),
      .hint = concat("Check the files, and restore what is wrong from version control. To ", verb,
                     " older changes of other files: ", verb,
                     " with a path. To drop the damaged record: history with the action clear."),
      .details = JsonObject{{"changeId", damaged.change_id}},
      .kind = ErrorKind::kHistoryDamaged};
}

Expected<UndoStep> Reverter::revert_command(const HistoryStore& store,
                                            const HistoryView::Change& change) const {
  const auto made = store.log().find(change.record->id);
  if (!made) return fail(made.error());
  if (!*made) return fail(ErrorCode::kConflict, "The change was just removed from the history.");
  return changes::revert_command(context_, store, origin_, **made,
                                 is_undo() ? effects::Direction::kUndo : effects::Direction::kRedo,
                                 may_change_);
}

Expected<UndoStep> Reverter::revert(const HistoryStore& store, const HistoryView::Change& change) const {
  const std::string_view basis_id = (is_undo() ? *change.made_by : *change.undone_by).id;
  const auto found = store.log().find(basis_id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kConflict, "The change was just removed from the history.");
  const ChangeRecord& basis = **found;
  if (basis.of_command) return revert_command(store, change);
  if (may_change_)
    for (const FileRecord& file : basis.files)
      for (const patch::SpliceSide side : {patch::SpliceSide::kOld, patch::SpliceSide::kNew})
        if (auto allowed = may_change_(file.place(side)); !allowed) return fail(allowed.error());
  auto inverse = Inverter(context_, store, basis, purpose_).run();
  if (!inverse) return fail(inverse.error());
  auto committed = commit_set(context_, {.origin = origin_,
                                         .changes = inverse->changes,
                                         .role = is_undo() ? RecordRole::kUndo : RecordRole::kRedo,
                                         .subject = std::string(change.record->id),
                                         .directories_to_remove = basis.created_directories});
  if (!committed) return fail(committed.error());
  const auto& [session, call, tool] = change.record->origin;
  UndoStep step{std::string(change.record->id),
                {std::string(session), std::string(call), std::string(tool)},
                time_text(*change.record),
                {}};
  for (std::size_t i = 0; i < committed->files.size(); ++i) {
    inverse->reports[i].file = std::move(committed->files[i]);
    step.files.push_back(std::move(inverse->reports[i]));
  }
  for (const std::string& directory : basis.created_directories)
    if (!context_.root.stat(directory)) step.removed_directories.push_back(directory);
  if (is_undo()) step.not_redoable = std::move(committed->not_undoable);
  return step;
}

Expected<UndoStep> Reverter::step(const HistoryStore& store, UndoReport& report) const {
  auto outline = store.log().outline();
  if (!outline) return fail(outline.error());
  const HistoryView view(*std::move(outline));
  const HistoryView::Change* chosen = is_undo() ? view.newest_applied(filter_) : view.last_undone(filter_);
  if (chosen == nullptr && !view.damaged().empty()) return fail(damaged_error(view.damaged().back()));
  if (chosen == nullptr) return fail(nothing_to_revert_error(&view));
  const HistoryView::Change* other =
      is_undo() ? view.blocker_of_undo(*chosen) : view.blocker_of_redo(*chosen);
  if (other != nullptr) return fail(blocked_error(*chosen, *other));
  const DamagedRecord* damaged =
      view.damage_after(*chosen, is_undo() ? chosen->made_at : chosen->undone_at, filter_);
  if (damaged != nullptr) return fail(damaged_error(*damaged));
  auto done = revert(store, *chosen);
  if (!done) return done;
  report.undoable_left = view.count_applied(filter_);
  report.redoable = view.count_redoable(filter_);
  if (is_undo()) {
    --report.undoable_left;
    const bool is_own = !filter_.session || *filter_.session == origin_.session;
    if (is_own && done->not_redoable.empty()) ++report.redoable;
  } else {
    --report.redoable;
    if (matches(*chosen->record, filter_)) ++report.undoable_left;
  }
  return done;
}

Expected<bool> Reverter::settle_interrupted(const HistoryStore& store) const {
  const auto recovered = recover_changes(context_, store, RecoveryScope::kMarked);
  if (!recovered) return fail(recovered.error());
  return std::ranges::any_of(recovered->changes,
                             [](const RecoveredChange& change) { return !change.unsettled; });
}

Expected<UndoReport> Reverter::run(std::size_t steps) {
  const auto store =
      HistoryStore::open(context_.directory, HistoryLog::Missing::kRefuse, context_.options.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return fail(nothing_to_revert_error(nullptr));
  if (!store) return fail(store.error());
  const auto lock = PathLocks::take_undo(store->directory(), context_.options.lock_wait);
  if (!lock) return fail(lock.error());
  if (auto recovered = settle_interrupted(*store); !recovered) return fail(recovered.error());
  UndoReport report;
  while (report.steps.size() < steps) {
    auto done = step(*store, report);
    // Another process may have died since: what it left is not a change by others.
    if (!done && done.error().code == ErrorCode::kConflict) {
      const auto recovered = settle_interrupted(*store);
      if (recovered && *recovered) continue;
    }
    if (!done && report.steps.empty()) return fail(done.error());
    if (!done) {
      report.stopped = done.error();
      break;
    }
    report.steps.push_back(std::move(*done));
  }
  return report;
}

Expected<UndoReport> run_reverter(const ChangesContext& context, const ChangeOrigin& origin,
                                  const ChangeFilter& filter, InvertFor purpose, std::size_t steps,
                                  const MayChange& may_change) {
  if (steps == 0) return fail(ErrorCode::kInvalidArgument, "`steps` must be at least 1.", "");
  const auto resolved = resolve_filter(context.root, filter);
  if (!resolved) return fail(resolved.error());
  return Reverter(context, origin, *resolved, purpose, may_change).run(steps);
}

}  // namespace

Expected<UndoReport> Changes::undo(const ChangeOrigin& origin, const ChangeFilter& filter, std::size_t steps,
                                   const MayChange& may_change) {
  return run_reverter({*root_, directory_, options_}, origin, filter, InvertFor::kUndo, steps, may_change);
}

Expected<UndoReport> Changes::redo(const ChangeOrigin& origin, const ChangeFilter& filter, std::size_t steps,
                                   const MayChange& may_change) {
  return run_reverter({*root_, directory_, options_}, origin, filter, InvertFor::kRedo, steps, may_change);
}

}  // namespace helve::changes
