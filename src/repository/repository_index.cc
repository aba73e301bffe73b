#include "repository/repository_index.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>

#include "base/strings.h"
#include "workspace/protected_paths.h"

namespace helve::repository {
namespace {

constexpr int kDeepestFolder = 1000;
// The kernel's clock is coarse: changes within this time may have the same timestamp.
constexpr std::int64_t kCoarse = 20'000'000;

std::int64_t change_time(const struct stat& status) {
  return status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : concat(path, "/", name);
}

// Some file systems are case-insensitive: .GIT is .git.
bool is_git(std::string_view name) { return name.size() == 4 && to_lower(name) == ".git"; }

}  // namespace

RepositoryIndex::Look RepositoryIndex::look(std::size_t most_directories) {
  const std::lock_guard lock(mutex_);
  most_directories_ = most_directories;
  look_ = {};
  visited_ = 0;
  const UniqueFd workspace(::open(workspace_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (workspace) visit(workspace.get(), {}, 0);
  std::ranges::sort(look_.repositories);
  return look_;
}

void RepositoryIndex::visit(int workspace_fd, const std::string& path, int depth) {
  if (depth > kDeepestFolder || ++visited_ > most_directories_) {
    look_.complete = false;
    return;
  }
  struct stat status{};
  const char* name = path.empty() ? "." : path.c_str();
  if (::fstatat(workspace_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode))
    return forget(path);
  Directory& directory = directories_[path];
  if (directory.changed != change_time(status)) {
    const std::int64_t before = now();
    const UniqueFd fd = open_own_directory(workspace_fd, name);
    if (!fd || ::fstat(fd.get(), &status) != 0) {
      look_.complete = false;
      return forget(path);
    }
    read(fd.get(), path, status.st_ino, directory);
    directory.changed = change_time(status) + kCoarse < before ? change_time(status) : 0;
  }
  look_.repositories.insert(look_.repositories.end(), directory.found.begin(), directory.found.end());
  // A copy: visiting a removed child may erase this directory from the map.
  const std::vector<std::string> children = directory.children;
  for (const std::string& child : children) visit(workspace_fd, below(path, child), depth + 1);
}

void RepositoryIndex::read(int directory_fd, const std::string& path, std::uint64_t inode,
                           Directory& directory) {
  directory.found.clear();
  std::set<std::string> gone(directory.children.begin(), directory.children.end());
  directory.children.clear();
  if (reader_.read(directory_fd) != 0) return;
  bool head = false;
  bool rest = false;
  for (const search::RawEntry& entry : reader_.entries()) {
    const bool is_directory = entry.type == DT_DIR;
    head |= entry.name == "HEAD";
    rest |= entry.name == "objects" || entry.name == "refs" || entry.name == "commondir";
    if (is_git(entry.name)) {
      struct stat status{};
      const std::string name(entry.name);
      if (::fstatat(directory_fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      directory.found.push_back(
          {below(path, name), is_directory ? Found::Kind::kDirectory : Found::Kind::kPointer, status.st_ino});
      // There are no working trees inside, but the repositories of submodules and worktrees.
      if (is_directory)
        for (const char* inner : {"/modules", "/worktrees"}) directory.children.push_back(name + inner);
    } else if (is_directory) {
      directory.children.emplace_back(entry.name);
    }
  }
  if (head && rest && workspace::has_git_head(directory_fd))
    directory.found.push_back({path, Found::Kind::kBare, inode});
  for (const std::string& child : directory.children) gone.erase(child);
  for (const std::string& child : gone) forget(below(path, child));
}

void RepositoryIndex::forget(const std::string& path) {
  directories_.erase(path);
  const std::string inside = path.empty() ? path : path + "/";
  auto at = directories_.lower_bound(inside);
  while (at != directories_.end() && at->first.starts_with(inside)) at = directories_.erase(at);
}

UniqueFd open_own_directory(int at, const char* name) {
  constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(at, name, O_RDONLY | kFlags));
  if (fd || errno != EACCES) return fd;
  const UniqueFd place(::openat(at, name, O_PATH | kFlags));
  struct stat status{};
  if (!place || ::fstat(place.get(), &status) != 0 || status.st_uid != ::geteuid()) return fd;
  const std::string handle = concat("/proc/self/fd/", place.get());
  if (::chmod(handle.c_str(), (status.st_mode & 07777U) | S_IRWXU) != 0) return fd;
  fd.reset(::openat(at, name, O_RDONLY | kFlags));
  return fd;
}

}  // namespace helve::repository
