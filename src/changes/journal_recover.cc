#include "changes/journal_recover.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "base/file_lock.h"
#include "base/strings.h"
#include "changes/atomic_write.h"
#include "changes/command_change.h"
#include "changes/command_store.h"
#include "changes/command_undo.h"
#include "changes/file_move.h"
#include "changes/journal_locks.h"
#include "changes/locked_file.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using Kind = FileChange::Kind;

// Restores the old state of one changed file.
class FileRollback {
 public:
  FileRollback(const SettleContext& context, const FileRecord& file) : context_(context), file_(file) {}

  Expected<void> run(const Inspection& inspected) const {
    switch (file_.kind) {
      case Kind::kWrite:
        return file_.existed ? rewrite(inspected.from, inspected.progress) : remove(inspected.from);
      case Kind::kRemove: return create(inspected.from);
      case Kind::kMove: return move(inspected);
    }
    return {};
  }

 private:
  [[nodiscard]] WriteOptions write_options() const {
    WriteOptions options;
    options.durability = context_.durability;
    options.hard_links = file_.in_place ? HardLinks::kWriteInPlace : HardLinks::kRefuse;
    options.temporary_name = file_.temporary;
    if (file_.old_mode != file_.new_mode || !file_.existed) options.mode = file_.old_mode;
    return options;
  }

  Expected<void> rewrite(const PathState& place, JournalProgress progress) const {
    const auto old_bytes = context_.fetch(file_.old_bytes);
    if (!old_bytes) return fail(old_bytes.error());
    std::vector<std::string_view> pieces;
    if (progress == JournalProgress::kPartial) {
      pieces.emplace_back(*old_bytes);
    } else {
      pieces = patch::turn_content(file_.splice, patch::SpliceSide::kNew, *place.content, *old_bytes);
    }
    const auto written = atomic_write(*place.target, pieces, place.state(), write_options());
    if (!written) return fail(written.error());
    return {};
  }

  Expected<void> remove(const PathState& place) const {
    return remove_file(*place.target, place.state(),
                       {.durability = context_.durability, .temporary_name = file_.temporary});
  }

  Expected<void> create(const PathState& place) const {
    const auto old_bytes = context_.fetch(file_.old_bytes);
    if (!old_bytes) return fail(old_bytes.error());
    const auto written =
        atomic_write(*place.target, *old_bytes, workspace::ExpectedState::absent(), write_options());
    if (!written) return fail(written.error());
    return {};
  }

  Expected<void> move(const Inspection& inspected) const {
    const PathState* now = &inspected.to;
    PathState rewritten;
    if (inspected.progress == JournalProgress::kNew &&
        (!file_.splice.parts.empty() || file_.old_mode != file_.new_mode)) {
      if (auto done = rewrite(inspected.to, JournalProgress::kNew); !done) return done;
      auto seen = read_path_state(context_.root, file_.new_path);
      if (!seen) return fail(seen.error());
      rewritten = std::move(*seen);
      now = &rewritten;
    }
    if (!now->content) return fail(conflict_error(Conflict::kDeleted, file_.new_path));
    const auto renamed =
        rename_file(*now->target, *inspected.from.target, now->state(), {.durability = context_.durability});
    if (!renamed) return fail(renamed.error());
    return {};
  }

  const SettleContext& context_;
  const FileRecord& file_;
};

}  // namespace

Expected<Settled> settle(const SettleContext& context, const ChangeRecord& record, SettleGoal goal,
                         std::size_t count) {
  Settled settled;
  std::vector<Inspection> inspected;
  for (const FileRecord& file : std::span(record.files).first(count)) {
    auto one = inspect_file(context.root, file, context.key, context.fetch);
    if (!one) return fail(one.error());
    std::ranges::move(one->notes, std::back_inserter(settled.notes));
    if (one->progress == JournalProgress::kForeign)
      settled.foreign.push_back(file.place(patch::SpliceSide::kNew));
    inspected.push_back(std::move(*one));
  }
  const bool is_complete = count == record.files.size() && !inspected.empty() &&
                           inspected.back().progress == JournalProgress::kNew;
  if (goal == SettleGoal::kFinishOrRollBack && is_complete) {
    context.root.remove_directories(record.directories_to_remove);
    settled.foreign.clear();  // changed by others after completion, which is normal
    settled.outcome = RecoveredChange::Outcome::kFinished;
    return settled;
  }
  for (std::size_t i = inspected.size(); i-- > 0;) {
    if (inspected[i].progress != JournalProgress::kNew && inspected[i].progress != JournalProgress::kPartial)
      continue;
    if (!inspected[i].from.target) {
      // Its directory was removed by others, so the file is not restored.
      settled.foreign.push_back(record.files[i].path);
      continue;
    }
    if (auto done = FileRollback(context, record.files[i]).run(inspected[i]); !done)
      return fail(done.error());
  }
  context.root.remove_directories(record.created_directories);
  settled.outcome =
      settled.foreign.empty() ? RecoveredChange::Outcome::kRolledBack : RecoveredChange::Outcome::kKeptAside;
  return settled;
}

namespace {

using Outcome = RecoveredChange::Outcome;

RecordState state_after(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFinished: return RecordState::kCommitted;
    case Outcome::kRolledBack: return RecordState::kRolledBack;
    case Outcome::kKeptAside: return RecordState::kKeptAside;
  }
  return RecordState::kKeptAside;
}

std::vector<std::string> paths_of(const ChangeRecord& record) {
  std::vector<std::string> paths;
  for (const FileRecord& file : record.files) {
    paths.push_back(file.path);
    if (!file.new_path.empty()) paths.push_back(file.new_path);
  }
  return paths;
}

// False if another process has settled it.
Expected<bool> is_still_pending(const HistoryStore& store, std::string_view id) {
  const auto pending = store.log().pending();
  if (!pending) return fail(pending.error());
  return std::ranges::any_of(*pending, [&](const ChangeRecord& record) { return record.id == id; });
}

// Settles one change set and records the outcome.
Expected<Settled> settle_record(const ChangesContext& context, const HistoryStore& store,
                                const ChangeRecord& record) {
  if (record.of_command) {
    // A command has done its part before it is recorded; an undo of it is completed.
    if (record.role != RecordRole::kChange)
      if (auto completed = complete_command_undo(context, store, record); !completed)
        return fail(completed.error());
    if (auto noted = store.log().mark(record.id, RecordState::kCommitted); !noted) return fail(noted.error());
    return Settled{.outcome = RecoveredChange::Outcome::kFinished};
  }
  const SettleContext settling{context.root, store.log().key(),
                               [&](const KeptBytes& kept) { return store.fetch(kept, record.id); },
                               context.options.durability};
  auto settled = settle(settling, record, SettleGoal::kFinishOrRollBack, record.files.size());
  if (!settled) return settled;
  if (auto noted = store.log().mark(record.id, state_after(settled->outcome)); !noted)
    return fail(noted.error());
  return settled;
}

// nullopt when another process has done it.
std::optional<RecoveredChange> recover_record(const ChangesContext& context, const HistoryStore& store,
                                              const ChangeRecord& record, std::set<std::string>& unsettled) {
  std::vector<std::string> paths = paths_of(record);
  const auto locks = PathLocks::take(store.directory(), paths, context.options.lock_wait);
  auto pending = locks ? is_still_pending(store, record.id) : fail(locks.error());
  if (pending && !*pending) return std::nullopt;
  auto settled = pending ? settle_record(context, store, record) : fail(pending.error());
  if (settled)
    return RecoveredChange{settled->outcome, record.id,        record.origin,
                           std::move(paths), settled->foreign, std::move(settled->notes),
                           std::nullopt};
  unsettled.insert(record.id);
  return RecoveredChange{Outcome::kKeptAside,
                         record.id,
                         record.origin,
                         std::move(paths),
                         {},
                         {concat(settled.error().message, " Helve tries again at its next start.")},
                         settled.error()};
}

// Removes what a kill left in the history directory. The order matters: an owner that was listed first had an
// active mark then or is in the log by now.
void sweep(const HistoryStore& store, const std::set<std::string>& adopted) {
  const std::vector<std::string> owners = store.blobs().owners();
  const std::vector<std::string> commands = CommandStore::list(store);
  const std::vector<std::string> active = ActiveMark::list(store.active_directory());
  const auto outline = store.log().outline();
  if (!outline) return;
  std::set<std::string> needed;
  for (const std::string& id : active)
    if (!adopted.contains(id)) needed.insert(id);
  for (const RecordOutline& record : outline->records())
    if (record.state != RecordState::kRolledBack) needed.emplace(record.id);
  std::vector<std::string> unneeded;
  std::ranges::copy_if(owners, std::back_inserter(unneeded),
                       [&](const std::string& owner) { return !needed.contains(owner); });
  store.blobs().release_all(unneeded);
  for (const std::string& id : commands)
    if (!needed.contains(id)) CommandStore::remove(store, id);
  store.remove_temporaries();
}

}  // namespace

Expected<RecoveryReport> recover_changes(const ChangesContext& context, const HistoryStore& store,
                                         RecoveryScope scope) {
  RecoveryReport report;
  const bool is_first = scope == RecoveryScope::kAllOnce && !store.is_same_boot();
  std::map<std::string, ActiveMark> marks;
  const std::vector<std::string> active = ActiveMark::list(store.active_directory());
  for (const std::string& id : active)
    if (auto mark = ActiveMark::adopt(store.active_directory(), id)) marks.emplace(id, std::move(*mark));
  if (marks.empty() && !is_first) return report;

  const auto records = store.log().load();
  if (!records) return fail(records.error());
  std::set<std::string> adopted;
  for (const auto& [id, mark] : marks) adopted.insert(id);
  std::set<std::string> unsettled;
  for (const LoggedRecord& logged : *records) {
    const ChangeRecord& record = logged.record;
    if (logged.state == RecordState::kCommitted && adopted.contains(record.id))
      store.release_temporary(record);
    if (logged.state != RecordState::kPending) continue;
    if (!adopted.contains(record.id)) {
      // After a power loss the mark may be missing. A running process always holds one.
      if (!is_first || std::ranges::find(active, record.id) != active.end()) continue;
      auto mark = ActiveMark::create(store.active_directory(), record.id);
      if (!mark) return fail(mark.error());
      marks.emplace(record.id, std::move(*mark));
      adopted.insert(record.id);
    }
    if (auto change = recover_record(context, store, record, unsettled))
      report.changes.push_back(std::move(*change));
  }
  recover_commands(store, context.root, {adopted.begin(), adopted.end()}, report);
  sweep(store, adopted);
  for (auto& [id, mark] : marks)
    if (!unsettled.contains(id)) mark.finish();
  if (is_first && unsettled.empty()) store.note_boot();
  return report;
}

namespace {

// An interrupted change set that touches one of the paths; nullopt if there is none. The caller holds the
// paths' locks, so no running process is changing them: the owner is dead, or another process is about to
// settle the change set and waits for the locks.
Expected<std::optional<ChangeRecord>> interrupted_on(const HistoryStore& store,
                                                     std::span<const std::string> paths) {
  const std::vector<std::string> active = ActiveMark::list(store.active_directory());
  if (active.empty()) return std::nullopt;
  auto pending = store.log().pending();
  if (!pending) return fail(pending.error());
  for (ChangeRecord& record : *pending)
    if (std::ranges::find(active, record.id) != active.end() &&
        std::ranges::any_of(paths, [&](const std::string& path) { return record.touches(path); }))
      return std::move(record);
  return std::nullopt;
}

Error unsettled_error(const ChangeRecord& record, const Error& reason) {
  const std::string path = workspace::printable_path(record.files.front().path);
  return {reason.code,
          concat("A change of ", path, " was interrupted and cannot be completed or reverted: ",
                 reason.message, " Nothing was written."),
          reason.hint,
          reason.details,
          reason.transient,
          reason.kind};
}

Error busy_error(const ChangeRecord& record) {
  const std::string path = workspace::printable_path(record.files.front().path);
  return {ErrorCode::kConflict,
          concat("Another Helve process is still settling an interrupted change of ", path,
                 ". Nothing was written."),
          "Try again when it has finished.", JsonObject{{"reason", "locked"}, {"path", path}}, true};
}

}  // namespace

Expected<PathLocks> lock_settled(const ChangesContext& context, const HistoryStore& store,
                                 std::span<const std::string> paths) {
  Backoff backoff(context.options.lock_wait);
  while (true) {
    // Without the locks: to settle a change set, all of its paths must be locked in order.
    const auto recovered = recover_changes(context, store, RecoveryScope::kMarked);
    if (!recovered) return fail(recovered.error());
    auto locks = PathLocks::take(store.directory(), paths, context.options.lock_wait);
    if (!locks) return locks;
    const auto interrupted = interrupted_on(store, paths);
    if (!interrupted) return fail(interrupted.error());
    if (!*interrupted) return locks;
    for (const RecoveredChange& change : recovered->changes)
      if (change.change_id == (*interrupted)->id && change.unsettled)
        return fail(unsettled_error(**interrupted, *change.unsettled));
    // The process that settles it needs the locks.
    locks = fail(busy_error(**interrupted));
    if (!backoff.wait()) return locks;
  }
}

}  // namespace helve::changes
