#include "workspace/history_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/sha256.h"
#include "base/strings.h"
#include "workspace/temporary_file.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

constexpr std::size_t kSmall = 4096;  // bytes that lie in the record itself
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

// So that a power loss does not take new directories away with all that is in them. Those that were there
// before need it least and take no time. Returns 0 or the error number.
int sync_parents(int directory) {
  constexpr int kMade = 3;  // ID, history and Helve's own
  UniqueFd parent(::openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kMade && parent; ++i) {
    if (const int error = sync_file(parent.get()); error != 0) return error;
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
                                          Durability durability) {
  const auto cannot = [&](int error) {
    if (error == ENOENT) return fail(ErrorCode::kNotFound, "There is no history of this workspace yet.");
    Error failure = write_error("use Helve's state directory", path, error);
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
    const int error = directory && durability == Durability::kFull ? sync_parents(directory.get()) : 0;
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
                                       BlobStore::Need need, Durability durability,
                                       std::uint64_t& added_bytes) const {
  KeptBytes kept;
  for (const std::string_view piece : bytes) kept.size += piece.size();
  if (kept.size <= kSmall) {
    kept.place = KeptBytes::Place::kHere;
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
    case KeptBytes::Place::kHere: return kept.bytes;
    case KeptBytes::Place::kBlob: return blobs().get(kept.bytes, change_id, kept.size);
    case KeptBytes::Place::kNowhere: break;
  }
  if (kept.size == 0) return std::string();
  return fail(ErrorCode::kNotFound, "The history does not have these bytes: they were too many to keep.");
}

void HistoryStore::release(const ChangeRecord& record) const {
  for (const FileRecord& file : record.files)
    for (const KeptBytes* kept : {&file.old_bytes, &file.new_bytes})
      if (kept->place == KeptBytes::Place::kBlob) blobs().release(kept->bytes, record.id);
}

void HistoryStore::release_passing(const ChangeRecord& record) const {
  for (const FileRecord& file : record.files)
    if (!file.undoable && file.old_bytes.place == KeptBytes::Place::kBlob)
      blobs().release(file.old_bytes.bytes, record.id);
}

void HistoryStore::remove_temporaries() const {
  remove_abandoned_temporaries(directory_.get());
  remove_abandoned_temporaries(blobs_.get());
}

bool HistoryStore::is_same_boot() const {
  const UniqueFd fd(::openat(directory_.get(), kBoot, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return false;
  const auto noted = read_all(fd.get(), 100);
  const std::string now = boot_id();
  return noted && !now.empty() && *noted == now;
}

void HistoryStore::note_boot() const {
  const UniqueFd fd(
      ::openat(directory_.get(), kBoot, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Unwritten, it only makes the next recovery look at everything once more.
  if (fd) static_cast<void>(write_all(fd.get(), boot_id()));
}

std::string history_path(std::string_view state_directory, std::string_view workspace) {
  return concat(state_directory, "/history/", sha256_hex(workspace).substr(0, 32));
}

}  // namespace helve
