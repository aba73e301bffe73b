#include "workspace/journal_locks.h"

#include <fcntl.h>
#include <sodium/crypto_generichash.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "base/directory_stream.h"
#include "base/strings.h"
#include "workspace/file_state.h"
#include "workspace/path_check.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kLockFile = "locks";
constexpr off_t kUndoByte = 0;

// Which byte stands for a path. Two paths on one byte would only wait for each other.
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
  if (!fd) return fail(write_error("lock", kHistoryShown, errno));
  return fd;
}

}  // namespace

Expected<void> PathLocks::lock(off_t byte, std::string_view path, milliseconds wait) const {
  const auto deadline = steady_clock::now() + wait;
  microseconds pause{50};
  while (true) {
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    if (::fcntl(fd_.get(), F_OFD_SETLK, &range) == 0) return {};
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) return fail(write_error("lock", kHistoryShown, errno));
    if (steady_clock::now() >= deadline) {
      Error error{ErrorCode::kConflict,
                  path.empty() ? "Another undo or redo is under way in this workspace. Nothing was changed."
                               : concat(printable_path(path),
                                        " is being changed by another call of Helve. Nothing was written."),
                  "Try again when that one is done.", JsonObject{{"reason", "locked"}}, true};
      if (!path.empty()) error.details["path"] = printable_path(path);
      return fail(std::move(error));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, microseconds(2000));
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

bool bears_its_name(int directory, const std::string& id, int fd) {
  struct stat named;
  struct stat held;
  return ::fstatat(directory, id.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd, &held) == 0 &&
         is_same_inode(named, held);
}

// Locked before it has a name, so that nobody can take it for one that was left; nothing where the file
// system has no files without names.
UniqueFd create_locked(int directory, const std::string& id) {
  UniqueFd fd(::openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  const std::string path = concat("/proc/self/fd/", std::to_string(fd.get()));
  if (::linkat(AT_FDCWD, path.c_str(), directory, id.c_str(), AT_SYMLINK_FOLLOW) != 0) return {};
  return fd;
}

}  // namespace

Expected<ActiveMark> ActiveMark::create(int directory, const std::string& id) {
  if (UniqueFd fd = create_locked(directory, id)) return ActiveMark(directory, std::move(fd), id);
  while (true) {
    UniqueFd fd(::openat(directory, id.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return fail(write_error("write", kHistoryShown, errno));
    while (::flock(fd.get(), LOCK_EX) != 0)
      if (errno != EINTR) return fail(write_error("lock", kHistoryShown, errno));
    // Recovery may have come by in the instant between the two and have taken it for one that was left.
    if (bears_its_name(directory, id, fd.get())) return ActiveMark(directory, std::move(fd), id);
  }
}

std::optional<ActiveMark> ActiveMark::adopt(int directory, const std::string& id) {
  UniqueFd fd(::openat(directory, id.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  if (!bears_its_name(directory, id, fd.get())) return std::nullopt;  // its owner was done just now
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

}  // namespace helve
