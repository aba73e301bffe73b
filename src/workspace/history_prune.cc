#include "workspace/history_prune.h"

#include <chrono>
#include <set>
#include <vector>

#include "base/clock.h"
#include "workspace/journal_locks.h"

namespace helve {
namespace {

std::int64_t oldest_allowed_ms(const ChangeOptions& options) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - options.max_age).count();
}

// Rolled back ones, and undo and redo of change sets that are no more.
void add_meaningless(const std::vector<LoggedRecord>& records, std::vector<bool>& drop) {
  std::set<std::string_view> present;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!drop[i] && records[i].record.role == RecordRole::kChange) present.insert(records[i].record.id);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].state == RecordState::kRolledBack) drop[i] = true;
    if (records[i].record.role != RecordRole::kChange && !present.contains(records[i].record.subject))
      drop[i] = true;
  }
}

// A kill between dropping records and releasing their bytes leaves a mark, which makes recovery look.
Expected<ClearReport> rewrite(const HistoryStore& store, const HistoryLog::Choose& choose,
                              Durability durability) {
  auto mark = ActiveMark::create(store.active_directory(), random_id("prune"));
  if (!mark) return fail(mark.error());
  const auto usage = store.log().usage();
  const auto dropped = store.log().rewrite(choose, durability);
  ClearReport report;
  if (dropped) {
    for (const LoggedRecord& logged : *dropped) {
      store.release(logged.record);
      if (logged.record.role == RecordRole::kChange && logged.state != RecordState::kRolledBack)
        ++report.changes;
    }
  }
  mark->finish();
  const auto usage_now = store.log().usage();
  if (usage && usage_now && usage->bytes > usage_now->bytes) report.bytes = usage->bytes - usage_now->bytes;
  if (!dropped) return fail(dropped.error());
  return report;
}

}  // namespace

void prune_history(const HistoryStore& store, const ChangeOptions& options) {
  const auto usage = store.log().usage();
  if (!usage) return;
  const std::int64_t oldest = oldest_allowed_ms(options);
  if (usage->bytes <= options.max_bytes && usage->records <= options.max_changes &&
      (usage->records == 0 || usage->oldest_ms >= oldest))
    return;
  const auto choose = [&](const std::vector<LoggedRecord>& records) {
    std::vector<bool> drop(records.size());
    RecordSizes sizes;
    for (const LoggedRecord& logged : records) sizes.add(logged);
    std::size_t count = records.size();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool is_within = sizes.bytes() <= options.max_bytes - options.max_bytes / 10 &&
                             count <= options.max_changes - options.max_changes / 10;
      if (is_within && records[i].record.time_ms >= oldest) break;
      drop[i] = true;
      sizes.remove(records[i]);
      --count;
    }
    add_meaningless(records, drop);
    return drop;
  };
  static_cast<void>(rewrite(store, choose, options.durability));
}

Expected<ClearReport> drop_records(const HistoryStore& store,
                                   const std::function<bool(const LoggedRecord&)>& is_unwanted,
                                   Durability durability) {
  const auto choose = [&](const std::vector<LoggedRecord>& records) {
    std::vector<bool> drop;
    for (const LoggedRecord& logged : records)
      drop.push_back(logged.record.role == RecordRole::kChange && is_unwanted(logged));
    add_meaningless(records, drop);
    return drop;
  };
  return rewrite(store, choose, durability);
}

}  // namespace helve
