#include "repository/settle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "repository/armed_parts.h"
#include "repository/git_config.h"
#include "repository/own_directory.h"
#include "search/directory_reader.h"

namespace helve::repository {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Everything is done relative to open directories, so that a link put in the way leads nowhere.
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
    return fail(ErrorCode::kNotFound, "no regular file");
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

// A hash, because what it is made of may be a secret, and it is kept.
std::string fingerprint(const std::string& arms) { return arms.empty() ? arms : sha256_hex(arms); }

std::string arms_of(int git) {
  std::string arms;
  for (const char* name : {"config", "config.worktree"}) {
    const auto text = read_at(git, name);
    if (!text) continue;
    const GitConfig config = parse_git_config(*text);
    for (const GitSetting& setting : config.settings)
      if (!is_harmless(setting)) arms += concat(name, " ", setting.name(), "=", setting.value, '\0');
    if (!config.understood) arms += sha256_hex(*text);
  }
  const UniqueFd hooks(::openat(git, "hooks", kDirectory));
  if (!hooks) return fingerprint(arms);
  for (const std::string& name : hooks_in(hooks.get()))
    arms += concat("hook ", name, " ", sha256_hex(read_at(hooks.get(), name.c_str()).value_or("?")), '\0');
  return fingerprint(arms);
}

class Settling {
 public:
  Settling(const std::string& workspace, const std::string& quarantine)
      : workspace_(open_workspace(workspace)), quarantine_(quarantine) {}

  // A repository that the command made.
  Expected<void> disarm(const std::string& path) {
    const UniqueFd git = open_writable(path);
    if (!git) return fail(system_error(concat("Cannot look into ", path), errno));
    if (auto done = disarm_hooks(git.get(), path); !done) return done;
    for (const char* name : {"config", "config.worktree"})
      if (auto done = disarm_settings(git.get(), path, name); !done) return done;
    return disarm_common_directory(git.get(), path);
  }

  // One that was there before.
  Expected<void> compare(const Guarded& before) {
    const UniqueFd git = open_below(workspace_.get(), before.found.path);
    if (!git) return {};
    if (!before.has_common_directory)
      if (auto done = disarm_common_directory(git.get(), before.found.path); !done) return done;
    if (!before.has_worktree_settings)
      if (auto done = disarm_settings(git.get(), before.found.path, "config.worktree"); !done) return done;
    if (arms_of(git.get()) != before.arms) settled.changed.push_back(before.found.path);
    return {};
  }

  Settled settled;

 private:
  // A command may have locked us out of what it made; it is the user's own all the same.
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

  // In place where that is possible, because another command may have this very file mounted over itself.
  Expected<void> disarm_settings(int git, const std::string& path, const char* name) {
    if (!is_there(git, name)) return {};
    const std::string shown = concat(path, "/", name);
    const auto text = read_at(git, name);
    if (!text) return remove(git, name, shown);
    std::vector<std::string> dropped;
    const std::string kept = harmless_settings(*text, dropped);
    if (dropped.empty()) return {};
    if (auto held = hold(*text, shown); !held) return held;
    if (::fchmodat(git, name, 0644, 0) != 0) return remove(git, name, shown);
    const UniqueFd file(::openat(git, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return remove(git, name, shown);
    if (auto written = write_all(file.get(), kept); !written) return written;
    settled.disarmed.push_back({shown, std::move(dropped)});
    return {};
  }

  // Only a worktree has one, and it leads two directories up.
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

  // Into the quarantine; across file systems it can only be deleted.
  Expected<void> remove(int directory, const std::string& name, const std::string& shown) {
    const auto place = place_for(shown);
    if (!place) return fail(place.error());
    const bool moved = ::renameat(directory, name.c_str(), AT_FDCWD, place->c_str()) == 0;
    if (!moved && ::unlinkat(directory, name.c_str(), 0) != 0 &&
        ::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0)
      return fail(system_error(concat("Cannot take away ", shown), errno));
    settled.disarmed.push_back({shown, {}});
    return {};
  }

  UniqueFd workspace_;
  const std::string quarantine_;
};

}  // namespace

std::vector<Guarded> look_closely(const std::string& workspace, const std::vector<Found>& found) {
  const UniqueFd root = open_workspace(workspace);
  std::vector<Guarded> guarded;
  for (const Found& each : found) {
    if (each.kind == Found::Kind::kPointer) continue;
    const UniqueFd git = open_below(root.get(), each.path);
    if (!git) continue;
    guarded.push_back(
        {each, is_there(git.get(), "commondir"), is_there(git.get(), "config.worktree"), arms_of(git.get())});
  }
  return guarded;
}

Settled settle(const std::string& workspace, const std::vector<Guarded>& before,
               const RepositoryIndex::Look& after, const std::string& quarantine) {
  Settling settling(workspace, quarantine);
  if (!after.complete)
    settling.settled.trouble = "Not every directory could be looked at, so a repository may have been missed";
  for (const Found& found : after.repositories) {
    // A pointer leads to a repository that is found by itself, or lies outside and was out of reach.
    if (found.kind == Found::Kind::kPointer) continue;
    const auto known = std::ranges::find(before, found, &Guarded::found);
    // What cannot be done with one must not save the others.
    if (auto done = known == before.end() ? settling.disarm(found.path) : settling.compare(*known); !done)
      settling.settled.trouble = done.error().message;
  }
  return std::move(settling.settled);
}

}  // namespace helve::repository
