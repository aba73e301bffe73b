#include "repository/git_safety.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "repository/repository_index.h"
#include "search/directory_reader.h"
#include "workspace/git_config.h"
#include "workspace/git_programs.h"

namespace helve::repository {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Opens each component relative to its parent, so that a symlink cannot redirect the path.
UniqueFd open_below(int start, std::string_view path) {
  UniqueFd at(::fcntl(start, F_DUPFD_CLOEXEC, 0));
  if (path.empty()) return at;
  for (const std::string_view component : split(path, '/')) {
    if (!at) break;
    at = open_own_directory(at.get(), std::string(component).c_str());
  }
  return at;
}

UniqueFd open_workspace(const std::string& workspace) {
  return UniqueFd(::open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool is_there(int directory, const char* name) {
  struct stat status{};
  return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Expected<std::string> read_at(int directory, const char* name) {
  const UniqueFd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail(ErrorCode::kNotFound, "not a regular file");
  return read_all(file.get(), kLargestConfig);
}

std::vector<std::string> hooks_in(int hooks_fd) {
  std::vector<std::string> names;
  search::DirectoryReader reader;
  if (reader.read(hooks_fd) != 0) return names;
  for (const search::RawEntry& entry : reader.entries())
    if (!entry.name.ends_with(".sample")) names.emplace_back(entry.name);
  std::ranges::sort(names);
  return names;
}

// Hashed, because the contents may include secrets and the fingerprint is stored.
std::string hashed(const std::string& parts) { return parts.empty() ? parts : sha256_hex(parts); }

std::string fingerprint_of(int git) {
  std::string parts;
  for (const char* name : {"config", "config.worktree"}) {
    const auto text = read_at(git, name);
    if (!text) continue;
    const workspace::GitConfig config = workspace::parse_git_config(*text);
    for (const workspace::GitSetting& setting : config.settings)
      if (!is_harmless(setting)) parts += concat(name, " ", setting.name(), "=", setting.value, '\0');
    if (!config.understood) parts += sha256_hex(*text);
  }
  const UniqueFd hooks(::openat(git, "hooks", kDirectory));
  if (!hooks) return hashed(parts);
  for (const std::string& name : hooks_in(hooks.get()))
    parts += concat("hook ", name, " ", sha256_hex(read_at(hooks.get(), name.c_str()).value_or("?")), '\0');
  return hashed(parts);
}

class Settler {
 public:
  Settler(const std::string& workspace, const std::string& quarantine)
      : workspace_(open_workspace(workspace)), quarantine_(quarantine) {}

  // Disarms a repository that the command created.
  Expected<void> disarm(const std::string& path) {
    const UniqueFd git = open_writable(path);
    if (!git) return fail(system_error(concat("Cannot open ", path), errno));
    if (auto done = disarm_hooks(git.get(), path); !done) return done;
    for (const char* name : {"config", "config.worktree"})
      if (auto done = disarm_settings(git.get(), path, name); !done) return done;
    return disarm_common_directory(git.get(), path);
  }

  // Checks a repository that existed before.
  Expected<void> compare(const Guarded& before) {
    const UniqueFd git = open_below(workspace_.get(), before.found.path);
    if (!git) return {};
    if (!before.has_common_directory)
      if (auto done = disarm_common_directory(git.get(), before.found.path); !done) return done;
    if (!before.has_worktree_settings)
      if (auto done = disarm_settings(git.get(), before.found.path, "config.worktree"); !done) return done;
    if (fingerprint_of(git.get()) != before.fingerprint) settled.changed.push_back(before.found.path);
    return {};
  }

  Settled settled;

 private:
  // A command may have removed our permissions, but the user still owns the directory.
  UniqueFd open_writable(const std::string& path) const {
    UniqueFd git = open_below(workspace_.get(), path);
    struct stat status{};
    if (git && ::fstat(git.get(), &status) == 0 && (status.st_mode & S_IRWXU) != S_IRWXU)
      ::fchmod(git.get(), (status.st_mode & 07777U) | S_IRWXU);
    return git;
  }

  Expected<void> disarm_hooks(int git, const std::string& path) {
    struct stat status{};
    if (::fstatat(git, "hooks", &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
    const std::string shown = concat(path, "/hooks");
    if (!S_ISDIR(status.st_mode)) return remove(git, "hooks", shown);
    const UniqueFd hooks = open_own_directory(git, "hooks");
    if (!hooks) return remove(git, "hooks", shown);
    const std::vector<std::string> names = hooks_in(hooks.get());
    if (!names.empty()) ::fchmod(hooks.get(), (status.st_mode & 07777U) | S_IRWXU);
    for (const std::string& name : names)
      if (auto gone = remove(hooks.get(), name, concat(shown, "/", name)); !gone) return gone;
    return {};
  }

  // Writes in place if possible, because another command may have this file bind-mounted.
  Expected<void> disarm_settings(int git, const std::string& path, const char* name) {
    if (!is_there(git, name)) return {};
    const std::string shown = concat(path, "/", name);
    const auto text = read_at(git, name);
    if (!text) return remove(git, name, shown);
    std::vector<std::string> dropped;
    const std::string kept = workspace::harmless_settings(*text, dropped);
    if (dropped.empty()) return {};
    if (auto held = hold(*text, shown); !held) return held;
    if (::fchmodat(git, name, 0644, 0) != 0) return remove(git, name, shown);
    const UniqueFd file(::openat(git, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return remove(git, name, shown);
    if (auto written = write_all(file.get(), kept); !written) return written;
    settled.disarmed.push_back({shown, std::move(dropped)});
    return {};
  }

  // Only worktrees have a legitimate commondir, which points two directories up.
  Expected<void> disarm_common_directory(int git, const std::string& path) {
    if (!is_there(git, "commondir")) return {};
    const auto text = read_at(git, "commondir");
    if (text && trim(*text) == "../.." && path.find("/worktrees/") != std::string::npos) return {};
    return remove(git, "commondir", concat(path, "/commondir"));
  }

  Expected<std::string> place_for(const std::string& shown) const {
    if (auto made = make_private_directories(quarantine_); !made) return fail(made.error());
    std::string flat = shown;
    std::ranges::replace(flat, '/', '_');
    return concat(quarantine_, "/", random_id("held", 6), "_", flat.substr(0, 150));
  }

  Expected<void> hold(std::string_view text, const std::string& shown) const {
    const auto place = place_for(shown);
    if (!place) return fail(place.error());
    return replace_private_file(*place, text);
  }

  // Moves the file into the quarantine, or deletes it if the quarantine is on another file system.
  Expected<void> remove(int directory, const std::string& name, const std::string& shown) {
    const auto place = place_for(shown);
    if (!place) return fail(place.error());
    const bool moved = ::renameat(directory, name.c_str(), AT_FDCWD, place->c_str()) == 0;
    if (!moved && ::unlinkat(directory, name.c_str(), 0) != 0 &&
        ::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0)
      return fail(system_error(concat("Cannot remove ", shown), errno));
    settled.disarmed.push_back({shown, {}});
    return {};
  }

  UniqueFd workspace_;
  const std::string quarantine_;
};

namespace fs = std::filesystem;

constexpr int kDeepestModule = 8;
constexpr std::size_t kMost = 5000;

bool is_there(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

// Adds hooks, programs and settings in the workspace that settings of git name.
void add_named_elsewhere(const fs::path& git_directory, const std::string& workspace,
                         std::vector<std::string>& parts) {
  const fs::path working_tree =
      git_directory.filename() == ".git" ? git_directory.parent_path() : git_directory;
  for (const workspace::GitProgram& program :
       workspace::git_programs(working_tree.string(), git_directory.string(), workspace))
    parts.push_back(program.is_directory ? concat(program.path, "/") : program.path);
}

void add_parts(const fs::path& git_directory, const std::string& workspace, int depth,
               std::vector<std::string>& parts) {
  parts.push_back((git_directory / "hooks/").string());
  parts.push_back((git_directory / "config").string());
  // If these do not exist, a placeholder would confuse git. settle() checks for them instead.
  for (const char* name : {"config.worktree", "commondir"})
    if (is_there(git_directory / name)) parts.push_back((git_directory / name).string());
  add_named_elsewhere(git_directory, workspace, parts);
  if (depth == kDeepestModule) return;
  for (const std::string_view inner : {"modules", "worktrees"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(git_directory / inner, error), end; !error && it != end;
         it.increment(error)) {
      if (parts.size() > kMost || it.depth() > kDeepestModule) return;
      std::error_code ignored;
      if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
      if (!is_there(it->path() / "HEAD")) continue;
      it.disable_recursion_pending();
      add_parts(it->path(), workspace, depth + 1, parts);
    }
  }
}

}  // namespace

std::vector<Guarded> snapshot_repositories(const std::string& workspace, const std::vector<Found>& found) {
  const UniqueFd root = open_workspace(workspace);
  std::vector<Guarded> guarded;
  for (const Found& each : found) {
    if (each.kind == Found::Kind::kPointer) continue;
    const UniqueFd git = open_below(root.get(), each.path);
    if (!git) continue;
    guarded.push_back({each, is_there(git.get(), "commondir"), is_there(git.get(), "config.worktree"),
                       fingerprint_of(git.get())});
  }
  return guarded;
}

Settled settle(const std::string& workspace, const std::vector<Guarded>& before,
               const RepositoryIndex::Look& after, const std::string& quarantine) {
  Settler settling(workspace, quarantine);
  if (!after.complete)
    settling.settled.trouble = "Some directories could not be read, so a repository may have been missed";
  for (const Found& found : after.repositories) {
    // A pointer leads to a repository that is found separately, or to one outside that the command could not
    // reach.
    if (found.kind == Found::Kind::kPointer) continue;
    const auto known = std::ranges::find(before, found, &Guarded::found);
    // A failure with one repository must not stop the others.
    if (auto done = known == before.end() ? settling.disarm(found.path) : settling.compare(*known); !done)
      settling.settled.trouble = done.error().message;
  }
  return std::move(settling.settled);
}

std::vector<std::string> executable_parts(const std::string& git_directory, const std::string& workspace) {
  std::vector<std::string> parts;
  add_parts(git_directory, workspace, 0, parts);
  return parts;
}

void break_hard_links(const std::string& git_directory) {
  for (const char* name : {"config", "config.worktree"}) {
    const std::string path = concat(git_directory, "/", name);
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2) continue;
    const auto text = read_file(path, kLargestConfig);
    if (!text) continue;
    const std::string copy = concat(path, ".", random_id("own", 8));
    const UniqueFd file(
        ::open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777U));
    if (!file) continue;
    if (!write_all(file.get(), *text) || ::rename(copy.c_str(), path.c_str()) != 0) ::unlink(copy.c_str());
  }
}

}  // namespace helve::repository
