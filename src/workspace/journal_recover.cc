#include "workspace/journal_recover.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "workspace/journal_locks.h"
#include "workspace/journal_settle.h"

namespace helve {
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

// Another process may have been faster.
Expected<bool> is_still_pending(const HistoryStore& store, std::string_view id) {
  const auto outline = store.log().outline();
  if (!outline) return fail(outline.error());
  return std::ranges::any_of(outline->records(), [&](const RecordOutline& record) {
    return record.id == id && record.state == RecordState::kPending;
  });
}

// Settles one change set and notes how it ended.
Expected<Settled> settle_record(const ChangesContext& context, const HistoryStore& store,
                                const ChangeRecord& record) {
  const SettleContext settling{context.root, store.log().key(),
                               [&](const KeptBytes& kept) { return store.fetch(kept, record.id); },
                               context.options.durability};
  auto settled = settle(settling, record, SettleWish::kFinishOrTakeBack, record.files.size());
  if (!settled) return settled;
  if (auto noted = store.log().mark(record.id, state_after(settled->outcome)); !noted)
    return fail(noted.error());
  return settled;
}

// Nothing when that has been done meanwhile.
std::optional<RecoveredChange> recover_record(const ChangesContext& context, const HistoryStore& store,
                                              const ChangeRecord& record, std::set<std::string>& unsettled) {
  std::vector<std::string> paths = paths_of(record);
  const auto locks = PathLocks::take(store.directory(), paths, context.options.lock_wait);
  auto pending = locks ? is_still_pending(store, record.id) : fail(locks.error());
  if (pending && !*pending) return std::nullopt;
  auto settled = pending ? settle_record(context, store, record) : fail(pending.error());
  if (settled)
    return RecoveredChange{settled->outcome, record.id,        record.origin,
                           std::move(paths), settled->foreign, std::move(settled->notes)};
  unsettled.insert(record.id);
  return RecoveredChange{Outcome::kKeptAside,
                         record.id,
                         record.origin,
                         std::move(paths),
                         {},
                         {concat(settled.error().message, " It is tried again at the next start.")}};
}

// Removes what a kill left in the history's own directory. The order matters: whoever owned something when
// the owners were listed was under way then or is in the log by now.
void sweep(const HistoryStore& store, const std::set<std::string>& adopted) {
  const std::vector<std::string> owners = store.blobs().owners();
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
    if (logged.state == RecordState::kCommitted && adopted.contains(record.id)) store.release_passing(record);
    if (logged.state != RecordState::kPending) continue;
    if (!adopted.contains(record.id)) {
      // After a power loss the mark may be missing. A living process has one, and holds it.
      if (!is_first || std::ranges::find(active, record.id) != active.end()) continue;
      auto mark = ActiveMark::create(store.active_directory(), record.id);
      if (!mark) return fail(mark.error());
      marks.emplace(record.id, std::move(*mark));
      adopted.insert(record.id);
    }
    if (auto change = recover_record(context, store, record, unsettled))
      report.changes.push_back(std::move(*change));
  }
  sweep(store, adopted);
  for (auto& [id, mark] : marks)
    if (!unsettled.contains(id)) mark.finish();
  if (is_first && unsettled.empty()) store.note_boot();
  return report;
}

}  // namespace helve
