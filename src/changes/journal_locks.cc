#include "changes/journal_locks.h"

#include <fcntl.h>
#include <sodium/crypto_generichash.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/strings.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using std::chrono::milliseconds;

constexpr const char* kLockFile = "locks";
constexpr off_t kUndoByte = 0;

// The byte that represents a path. A collision of two paths only makes them wait for each other.
off_t byte_of(std::string_view path) {
  std::uint64_t hash = 0;
  unsigned char digest[crypto_generichash_BYTES_MIN];
  crypto_generichash(digest, sizeof digest, reinterpret_cast<const unsigned char*>(path.data()), path.size(),
                     nullptr, 0);
  std::memcpy(&hash, digest, sizeof hash);
  return static_cast<off_t>(hash >> 2) + kUndoByte + 1;
}

Expected<UniqueFd> open_lock_file(int directory) {
  UniqueFd fd(::openat(directory, kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail(workspace::write_error("lock", workspace::kHistoryName, errno));
  return fd;
}

}  // namespace

Expected<void> PathLocks::lock(off_t byte, std::string_view path, milliseconds wait) const {
  Backoff backoff(wait);
  while (true) {
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    if (::fcntl(fd_.get(), F_OFD_SETLK, &range) == 0) return {};
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES)
      return fail(workspace::write_error("lock", workspace::kHistoryName, errno));
    if (!backoff.wait()) {
      Error error{ErrorCode::kConflict,
                  path.empty() ? "Another undo or redo is running in this workspace. Nothing was changed."
                               : concat(workspace::printable_path(path),
                                        " is being changed by another Helve call. Nothing was written."),
                  "Try again when it has finished.", JsonObject{{"reason", "locked"}}, true};
      if (!path.empty()) error.details["path"] = workspace::printable_path(path);
      return fail(std::move(error));
    }
  }
}

Expected<PathLocks> PathLocks::take(int directory, std::span<const std::string> paths, milliseconds wait) {
  auto fd = open_lock_file(directory);
  if (!fd) return fail(fd.error());
  PathLocks locks(std::move(*fd));
  std::vector<std::pair<off_t, std::string_view>> bytes;
  for (const std::string& path : paths) bytes.emplace_back(byte_of(path), path);
  std::ranges::sort(bytes);
  for (const auto& [byte, path] : bytes)
    if (auto locked = locks.lock(byte, path, wait); !locked) return fail(locked.error());
  return locks;
}

Expected<PathLocks> PathLocks::take_undo(int directory, milliseconds wait) {
  auto fd = open_lock_file(directory);
  if (!fd) return fail(fd.error());
  PathLocks locks(std::move(*fd));
  if (auto locked = locks.lock(kUndoByte, {}, wait); !locked) return fail(locked.error());
  return locks;
}

namespace {

// Locks the file before it has a name, so that recovery cannot take it for an abandoned one. Empty if the
// file system does not support O_TMPFILE.
UniqueFd create_locked(int directory, const std::string& id) {
  UniqueFd fd(::openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (!fd || !try_exclusive_lock(fd.get())) return {};
  const std::string path = concat("/proc/self/fd/", std::to_string(fd.get()));
  if (::linkat(AT_FDCWD, path.c_str(), directory, id.c_str(), AT_SYMLINK_FOLLOW) != 0) return {};
  return fd;
}

}  // namespace

Expected<ActiveMark> ActiveMark::create(int directory, const std::string& id) {
  if (UniqueFd fd = create_locked(directory, id)) return ActiveMark(directory, std::move(fd), id);
  while (true) {
    UniqueFd fd(::openat(directory, id.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return fail(workspace::write_error("write", workspace::kHistoryName, errno));
    if (const int error = wait_for_lock(fd.get(), LOCK_EX); error != 0)
      return fail(workspace::write_error("lock", workspace::kHistoryName, error));
    // Recovery may have removed it as abandoned between open and lock.
    if (workspace::is_named(directory, id, fd.get())) return ActiveMark(directory, std::move(fd), id);
  }
}

std::optional<ActiveMark> ActiveMark::adopt(int directory, const std::string& id) {
  UniqueFd fd(::openat(directory, id.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!fd || !try_exclusive_lock(fd.get())) return std::nullopt;
  if (!workspace::is_named(directory, id, fd.get())) return std::nullopt;  // its owner has just finished
  return ActiveMark(directory, std::move(fd), id);
}

std::vector<std::string> ActiveMark::list(int directory) {
  std::vector<std::string> ids;
  const int listing = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return ids;
  const DirectoryStream stream(::fdopendir(listing));
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr)
    if (entry->d_name[0] != '.') ids.emplace_back(entry->d_name);
  return ids;
}

void ActiveMark::finish() {
  ::unlinkat(directory_, id_.c_str(), 0);
  fd_.reset();
}

}  // namespace helve::changes
