// The part of Changes that takes changes back and makes them again.
#include "base/strings.h"
#include "workspace/changes.h"
#include "workspace/changes_commit.h"
#include "workspace/changes_invert.h"
#include "workspace/changes_plan.h"
#include "workspace/history_store.h"
#include "workspace/history_view.h"
#include "workspace/journal_locks.h"
#include "workspace/journal_recover.h"
#include "workspace/path_check.h"

namespace helve {
namespace {

std::string change_text(const RecordOutline& record) {
  return concat(record.id, " (", record.origin.tool.empty() ? "a change" : record.origin.tool, ", ",
                time_text(record), ")");
}

// A run of undo or redo.
class Reverter {
 public:
  Reverter(const ChangesContext& context, const ChangeOrigin& origin, const ChangeFilter& filter,
           InvertFor purpose, const MayChange& may_change)
      : context_(context), origin_(origin), filter_(filter), purpose_(purpose), may_change_(may_change) {}

  Expected<UndoReport> run(std::size_t steps);

 private:
  [[nodiscard]] bool is_undo() const { return purpose_ == InvertFor::kUndo; }
  [[nodiscard]] Error nothing_left(const HistoryView* view) const;
  [[nodiscard]] Error in_the_way(const HistoryView::Change& chosen, const HistoryView::Change& other) const;
  Expected<UndoStep> revert(const HistoryStore& store, const HistoryView::Change& change) const;
  // Also counts what is left after it; a little too much when the oldest changes are forgotten just then.
  Expected<UndoStep> step(const HistoryStore& store, UndoReport& report) const;

  const ChangesContext& context_;
  const ChangeOrigin& origin_;
  const ChangeFilter& filter_;
  InvertFor purpose_;
  const MayChange& may_change_;
};

Error Reverter::nothing_left(const HistoryView* view) const {
  std::string message = concat("There is nothing to ", is_undo() ? "undo" : "redo");
  if (filter_.path) message += concat(" for ", printable_path(*filter_.path));
  if (filter_.session) message += " in this session";
  message += ".";
  Error error{ErrorCode::kNotFound, std::move(message), is_undo() ? "history shows what Helve changed." : ""};
  if (view == nullptr) return error;
  const std::size_t undone = is_undo() ? view->count_redoable(filter_) : 0;
  if (undone > 0)
    error.hint = concat(count_of(undone, "change"), undone == 1 ? " was" : " were",
                        " undone already; history with the action redo makes the last one again.");
  const HistoryView::Change* other = is_undo() ? view->newest_applied({}) : nullptr;
  if (undone == 0 && other != nullptr) {
    const std::string path = printable_path(other->record->files.front().place_now());
    error.hint = concat("Helve's last change in this workspace was to ", path, "; undo with the path ", path,
                        " takes that back.");
  }
  return error;
}

Error Reverter::in_the_way(const HistoryView::Change& chosen, const HistoryView::Change& other) const {
  const std::string shown = printable_path(common_path(*other.record, *chosen.record));
  const std::string_view verb = is_undo() ? "undo" : "redo";
  return {ErrorCode::kConflict,
          concat("The change set ", change_text(*chosen.record), " also touches ", shown, ", which ",
                 change_text(*other.record), is_undo() ? " changed later" : " changed before it",
                 ". Change sets are taken as a whole, so nothing was changed."),
          concat("First ", verb, " that one: ", is_undo() ? "undo" : "history with the action redo and",
                 is_undo() ? " with the path " : " the path ", shown, "."),
          JsonObject{{"reason", "other_change"},
                     {"path", shown},
                     {"changeId", chosen.record->id},
                     {"otherChangeId", other.record->id}}};
}

Expected<UndoStep> Reverter::revert(const HistoryStore& store, const HistoryView::Change& change) const {
  const std::string_view basis_id = (is_undo() ? *change.made_by : *change.undone_by).id;
  const auto found = store.log().find(basis_id);
  if (!found) return fail(found.error());
  if (!*found) return fail(ErrorCode::kConflict, "The change was just forgotten by somebody else.");
  const ChangeRecord& basis = **found;
  if (may_change_)
    for (const FileRecord& file : basis.files)
      for (const SpliceSide side : {SpliceSide::kOld, SpliceSide::kNew})
        if (auto allowed = may_change_(file.place(side)); !allowed) return fail(allowed.error());
  auto inverse = invert_changes(context_, store, basis, purpose_);
  if (!inverse) return fail(inverse.error());
  auto committed = commit_set(context_, {.origin = origin_,
                                         .changes = inverse->changes,
                                         .role = is_undo() ? RecordRole::kUndo : RecordRole::kRedo,
                                         .subject = std::string(change.record->id),
                                         .unmade_directories = basis.made_directories});
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
  for (const std::string& directory : basis.made_directories)
    if (!context_.root.stat(directory)) step.removed_directories.push_back(directory);
  if (is_undo()) step.not_redoable = std::move(committed->not_undoable);
  return step;
}

Expected<UndoStep> Reverter::step(const HistoryStore& store, UndoReport& report) const {
  auto outline = store.log().outline();
  if (!outline) return fail(outline.error());
  const HistoryView view(*std::move(outline));
  const HistoryView::Change* chosen = is_undo() ? view.newest_applied(filter_) : view.last_undone(filter_);
  if (chosen == nullptr) return fail(nothing_left(&view));
  const HistoryView::Change* other =
      is_undo() ? view.in_the_way_of_undo(*chosen) : view.in_the_way_of_redo(*chosen);
  if (other != nullptr) return fail(in_the_way(*chosen, *other));
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
    if (fits(*chosen->record, filter_)) ++report.undoable_left;
  }
  return done;
}

Expected<UndoReport> Reverter::run(std::size_t steps) {
  const auto store =
      HistoryStore::open(context_.directory, HistoryLog::Missing::kRefuse, context_.options.durability);
  if (!store && store.error().code == ErrorCode::kNotFound) return fail(nothing_left(nullptr));
  if (!store) return fail(store.error());
  const auto lock = PathLocks::take_undo(store->directory(), context_.options.lock_wait);
  if (!lock) return fail(lock.error());
  if (auto recovered = recover_changes(context_, *store, RecoveryScope::kMarked); !recovered)
    return fail(recovered.error());
  UndoReport report;
  while (report.steps.size() < steps) {
    auto done = step(*store, report);
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
  if (steps == 0)
    return fail(ErrorCode::kInvalidArgument, "steps is 0, so there is nothing to do.", "Give 1 or more.");
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

}  // namespace helve
