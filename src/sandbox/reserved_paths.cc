#include "sandbox/reserved_paths.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>

#include "base/file_lock.h"
#include "base/strings.h"
#include "sandbox/mount_calls.h"

namespace helve::sandbox {
namespace {

// 2001-02-03 04:05:06 UTC; an even second, for file systems with a two-second resolution.
constexpr time_t kPlaceholderTime = 981173106;
constexpr mode_t kDirectoryMode = 0555;
constexpr int kMostAttempts = 50;

bool in_writable_place(const Plan& plan, std::string_view path) {
  return is_within(path, plan.workspace) ||
         std::ranges::any_of(plan.writable, [&](const std::string& place) { return is_within(path, place); });
}

// 0 or an errno.
int make_entry(int directory, const std::string& name, bool as_directory) {
  if (!as_directory && ::mknodat(directory, name.c_str(), S_IFSOCK, 0) != 0) {
    if (errno == EEXIST) return EEXIST;
    as_directory = true;  // some file systems have no sockets
  }
  if (as_directory && ::mkdirat(directory, name.c_str(), kDirectoryMode) != 0) return errno;
  const timespec times[2] = {{.tv_sec = kPlaceholderTime, .tv_nsec = 0},
                             {.tv_sec = kPlaceholderTime, .tv_nsec = 0}};
  if (::utimensat(directory, name.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return 0;
  const int error = errno;
  ::unlinkat(directory, name.c_str(), as_directory ? AT_REMOVEDIR : 0);
  return error;
}

std::pair<std::string, std::string> split_last(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

// Whether owner and mode alone keep the command from writing to the directory.
bool cannot_be_written(const PathWalk& walk) {
  return ::geteuid() != 0 && walk.status.st_uid != ::geteuid() &&
         ::faccessat(AT_FDCWD, walk.last_path.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

bool is_placeholder(const struct stat& status) {
  if (status.st_mtim.tv_sec != kPlaceholderTime || status.st_mtim.tv_nsec != 0) return false;
  // The umask may have removed bits of kDirectoryMode.
  return S_ISSOCK(status.st_mode) ? (status.st_mode & 07777) == 0
                                  : S_ISDIR(status.st_mode) && (status.st_mode & 0777 & ~kDirectoryMode) == 0;
}

std::optional<std::string> reserved_path(std::string_view path) {
  const Expected<PathWalk> walk = walk_path(path);
  if (!walk) return std::nullopt;
  if (is_placeholder(walk->status)) return walk->last_path;
  if (walk->missing.empty()) return std::nullopt;
  return concat(walk->last_path == "/" ? "" : walk->last_path, "/", walk->missing);
}

Expected<ReservedPaths> ReservedPaths::make(const Plan& plan) {
  ReservedPaths made;
  if (plan.level != Level::kWorkspaceWrite) return made;
  for (const std::string& path : plan.protected_paths)
    if (auto reserved = made.reserve(plan, path, true); !reserved) return fail(std::move(reserved.error()));
  return made;
}

ReservedPaths ReservedPaths::find_abandoned(const Plan& plan) {
  ReservedPaths found;
  for (const std::string& path : plan.protected_paths) static_cast<void>(found.reserve(plan, path, false));
  return found;
}

ReservedPaths::Directory* ReservedPaths::lock(const std::string& path) {
  // The path had no symlinks a moment ago; a running command must not redirect us with a new one.
  const UniqueFd place = open_real(path);
  UniqueFd handle(place ? ::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  struct stat status;
  if (!handle || ::fstat(handle.get(), &status) != 0) return nullptr;
  for (Directory& known : directories_)
    if (known.device == status.st_dev && known.inode == status.st_ino) return &known;
  // Another launcher holds an exclusive lock only briefly, during a removal. A command that holds one for
  // longer only causes a leftover entry that the next command removes.
  static_cast<void>(wait_for_lock(handle.get(), LOCK_SH, std::chrono::milliseconds(50)));
  directories_.push_back({std::move(handle), path, status.st_dev, status.st_ino, {}});
  return &directories_.back();
}

Expected<void> ReservedPaths::reserve(const Plan& plan, std::string_view path, bool make_missing) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    Expected<PathWalk> walk = walk_path(path);
    if (!walk) return fail(std::move(walk.error()));
    if (!in_writable_place(plan, walk->last_path)) return {};
    std::string directory = walk->last_path;
    std::string name = walk->missing;
    const bool exists = is_placeholder(walk->status);
    if (exists)
      std::tie(directory, name) = split_last(walk->last_path);
    else if (name.empty() || !make_missing || cannot_be_written(*walk))
      return {};
    Directory* locked = lock(directory);
    if (locked == nullptr) {
      if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR) continue;  // changed meanwhile
      return fail(
          system_error(concat("Cannot lock ", directory, " to keep ", path, " from being created"), errno));
    }
    if (exists) {
      // Its creator may have removed it before we had the lock.
      struct stat status;
      if (::fstatat(locked->handle.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    } else {
      const bool as_directory = name == ".git";
      const int error = make_entry(locked->handle.get(), name, as_directory);
      if (error == EEXIST) continue;
      if (error == EROFS) return {};
      if (error == ENOSPC || error == EDQUOT) {
        lacks_room_ = true;
        return {};
      }
      if (error != 0)
        return fail(system_error(concat("Cannot keep ", path, " from being created in the sandbox"), error));
    }
    if (std::ranges::find(locked->names, name) == locked->names.end()) locked->names.push_back(name);
    return {};
  }
  return fail(ErrorCode::kConflict, concat("Cannot keep ", path, " from being created: it keeps changing"),
              "Try again when no other program changes that directory.");
}

std::size_t ReservedPaths::remove() {
  std::size_t removed = 0;
  for (const Directory& directory : directories_) {
    if (::getpid() != owner_ || !try_exclusive_lock(directory.handle.get())) continue;
    for (const std::string& name : directory.names) {
      struct stat status;
      const int handle = directory.handle.get();
      if (::fstatat(handle, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !is_placeholder(status))
        continue;
      if (::unlinkat(handle, name.c_str(), S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) == 0) ++removed;
    }
  }
  directories_.clear();
  return removed;
}

std::vector<std::string> ReservedPaths::paths() const {
  std::vector<std::string> all;
  for (const Directory& directory : directories_)
    for (const std::string& name : directory.names) all.push_back(concat(directory.path, "/", name));
  return all;
}

}  // namespace helve::sandbox
