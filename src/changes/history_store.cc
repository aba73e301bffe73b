#include "changes/history_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <set>
#include <vector>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "changes/command_store.h"
#include "changes/journal_locks.h"
#include "workspace/file_write.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

constexpr std::size_t kSmall = 4096;  // bytes up to which they are stored inline
constexpr const char* kBlobs = "blobs";
constexpr const char* kActive = "active";
constexpr const char* kBoot = "boot";

UniqueFd open_directory(int directory, const char* name, HistoryLog::Missing missing) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(directory, name, kFlags));
  if (fd || errno != ENOENT || missing == HistoryLog::Missing::kRefuse) return fd;
  if (::mkdirat(directory, name, 0700) == 0 || errno == EEXIST) fd.reset(::openat(directory, name, kFlags));
  return fd;
}

// Syncs new directories, so that a power loss does not remove them. Syncing existing ones costs nothing.
// Returns 0 or the error number.
int sync_parents(int directory) {
  constexpr int kMade = 3;  // ID, history and Helve's state directory
  UniqueFd parent(::openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kMade && parent; ++i) {
    if (const int error = workspace::sync_file(parent.get()); error != 0) return error;
    parent.reset(::openat(parent.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  return 0;
}

std::string boot_id() {
  const auto text = read_file("/proc/sys/kernel/random/boot_id");
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

Expected<HistoryStore> HistoryStore::open(const std::string& path, HistoryLog::Missing missing,
                                          workspace::Durability durability) {
  const auto cannot = [&](int error) {
    if (error == ENOENT) return fail(ErrorCode::kNotFound, "There is no history of this workspace yet.");
    Error failure = workspace::write_error("use Helve's state directory", path, error);
    if (error == EACCES || error == EPERM)
      failure.hint = "Ask the user to make it writable, or to set XDG_STATE_HOME to a directory that is.";
    return fail(std::move(failure));
  };
  UniqueFd directory = open_directory(AT_FDCWD, path.c_str(), HistoryLog::Missing::kRefuse);
  if (!directory && errno == ENOENT && missing == HistoryLog::Missing::kCreate) {
    if (auto made = make_private_directories(path); !made) {
      const Json* number = made.error().details.find("errno");
      return cannot(number == nullptr ? EIO : static_cast<int>(number->as_integer()));
    }
    directory = open_directory(AT_FDCWD, path.c_str(), HistoryLog::Missing::kRefuse);
    const int error =
        directory && durability == workspace::Durability::kFull ? sync_parents(directory.get()) : 0;
    if (error != 0) return cannot(error);
  }
  if (!directory) return cannot(errno);
  UniqueFd blobs = open_directory(directory.get(), kBlobs, missing);
  if (!blobs) return cannot(errno);
  UniqueFd active = open_directory(directory.get(), kActive, missing);
  if (!active) return cannot(errno);
  auto log = HistoryLog::open(directory.get(), missing, durability);
  if (!log) return fail(log.error());
  return HistoryStore(std::move(directory), std::move(blobs), std::move(active), *log);
}

void HistoryStore::destroy(const std::string& path) {
  const UniqueFd directory = open_directory(AT_FDCWD, path.c_str(), HistoryLog::Missing::kRefuse);
  if (!directory) return;
  HistoryLog::remove(directory.get());
  const UniqueFd blobs = open_directory(directory.get(), kBlobs, HistoryLog::Missing::kRefuse);
  if (!blobs) return;
  const BlobStore store(blobs.get());
  store.release_all(store.owners());
}

Expected<KeptBytes> HistoryStore::keep(std::span<const std::string_view> bytes, std::string_view change_id,
                                       BlobStore::Need need, workspace::Durability durability,
                                       std::uint64_t& added_bytes) const {
  KeptBytes kept;
  for (const std::string_view piece : bytes) kept.size += piece.size();
  if (kept.size <= kSmall) {
    kept.place = KeptBytes::Place::kInline;
    for (const std::string_view piece : bytes) kept.bytes += piece;
    return kept;
  }
  auto stored = blobs().put(bytes, change_id, need, durability);
  if (!stored) return fail(stored.error());
  if (stored->is_new) added_bytes += kept.size;
  kept.place = KeptBytes::Place::kBlob;
  kept.bytes = std::move(stored->name);
  return kept;
}

Expected<std::string> HistoryStore::fetch(const KeptBytes& kept, std::string_view change_id) const {
  switch (kept.place) {
    case KeptBytes::Place::kInline: return kept.bytes;
    case KeptBytes::Place::kBlob: return blobs().get(kept.bytes, change_id, kept.size);
    case KeptBytes::Place::kNotKept: break;
  }
  if (kept.size == 0) return std::string();
  return fail(ErrorCode::kNotFound, "The history does not have this content: it was too large to keep.");
}

void HistoryStore::release(const ChangeRecord& record) const {
  // Undo and redo share what the change itself keeps.
  if (record.of_command && record.role == RecordRole::kChange) CommandStore::remove(*this, record.id);
  for (const FileRecord& file : record.files)
    for (const KeptBytes* kept : {&file.old_bytes, &file.new_bytes})
      if (kept->place == KeptBytes::Place::kBlob) blobs().release(kept->bytes, record.id);
}

void HistoryStore::release_temporary(const ChangeRecord& record) const {
  for (const FileRecord& file : record.files)
    if (!file.undoable && file.old_bytes.place == KeptBytes::Place::kBlob)
      blobs().release(file.old_bytes.bytes, record.id);
}

void HistoryStore::remove_temporaries() const {
  workspace::remove_abandoned_temporaries(directory_.get());
  workspace::remove_abandoned_temporaries(blobs_.get());
}

bool HistoryStore::is_same_boot() const {
  const UniqueFd fd(::openat(directory_.get(), kBoot, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return false;
  const auto noted = read_all(fd.get(), 100);
  const std::string now = boot_id();
  return noted && !now.empty() && *noted == now;
}

void HistoryStore::note_boot() const {
  const UniqueFd fd(::openat(directory_.get(), kBoot,
                             O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  // If this fails, the next recovery only checks everything once more.
  if (fd) static_cast<void>(write_all(fd.get(), boot_id()));
}

std::string history_path(std::string_view state_directory, std::string_view workspace) {
  return concat(state_directory, "/history/", sha256_hex(workspace).substr(0, 32));
}

namespace {

std::int64_t oldest_allowed_ms(const ChangeOptions& options) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - options.max_age).count();
}

// Rolled-back records, and undo and redo records whose change set is gone.
void add_obsolete(const std::vector<LoggedRecord>& records, std::vector<bool>& drop) {
  std::set<std::string_view> present;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!drop[i] && records[i].record.role == RecordRole::kChange) present.insert(records[i].record.id);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].state == RecordState::kRolledBack) drop[i] = true;
    if (records[i].record.role != RecordRole::kChange && !present.contains(records[i].record.subject))
      drop[i] = true;
  }
}

// A kill between dropping records and releasing their blobs leaves the mark, which triggers recovery.
Expected<ClearReport> rewrite(const HistoryStore& store, const HistoryLog::Choose& choose,
                              workspace::Durability durability) {
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
    add_obsolete(records, drop);
    return drop;
  };
  static_cast<void>(rewrite(store, choose, options.durability));
}

Expected<ClearReport> drop_records(const HistoryStore& store,
                                   const std::function<bool(const LoggedRecord&)>& is_unwanted,
                                   workspace::Durability durability) {
  const auto choose = [&](const std::vector<LoggedRecord>& records) {
    std::vector<bool> drop;
    for (const LoggedRecord& logged : records)
      drop.push_back(logged.record.role == RecordRole::kChange && is_unwanted(logged));
    add_obsolete(records, drop);
    return drop;
  };
  return rewrite(store, choose, durability);
}

}  // namespace helve::changes
