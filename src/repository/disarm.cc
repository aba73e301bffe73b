#include "repository/disarm.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/strings.h"
#include "repository/armed_parts.h"
#include "search/directory_reader.h"

namespace helve::repository {
namespace {

constexpr std::size_t kLargestSettings = std::size_t{1} << 20;

// Everything is done relative to open directories, so that a link put in the way leads nowhere.
class Disarming {
 public:
  Disarming(const std::string& workspace, const std::string& quarantine)
      : workspace_(::open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), quarantine_(quarantine) {}

  Expected<void> disarm(const std::string& path) {
    const UniqueFd git = open_directory(workspace_.get(), path);
    if (!git) return {};
    const auto hooks = disarm_hooks(git.get(), path);
    if (!hooks) return hooks;
    for (const char* name : {"config", "config.worktree"})
      if (auto done = disarm_settings(git.get(), path, name); !done) return done;
    return {};
  }

  std::vector<Disarmed> disarmed;

 private:
  // Component by component, through no link.
  static UniqueFd open_directory(int start, std::string_view path) {
    UniqueFd at(::fcntl(start, F_DUPFD_CLOEXEC, 0));
    for (const std::string_view component : split(path, '/')) {
      if (!at) break;
      const std::string name(component);
      at.reset(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    return at;
  }

  Expected<void> disarm_hooks(int git, const std::string& path) {
    struct stat status{};
    if (::fstatat(git, "hooks", &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
    if (!S_ISDIR(status.st_mode)) return remove(git, "hooks", concat(path, "/hooks"));
    const UniqueFd hooks(::openat(git, "hooks", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    search::DirectoryReader reader;
    if (!hooks || reader.read(hooks.get()) != 0) return {};
    std::vector<std::string> names;
    for (const search::RawEntry& entry : reader.entries())
      if (!entry.name.ends_with(".sample")) names.emplace_back(entry.name);
    std::ranges::sort(names);
    for (const std::string& name : names)
      if (auto gone = remove(hooks.get(), name, concat(path, "/hooks/", name)); !gone) return gone;
    return {};
  }

  Expected<void> disarm_settings(int git, const std::string& path, const char* name) {
    const std::string shown = concat(path, "/", name);
    const UniqueFd file(::openat(git, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!file) {
      const bool is_odd = ::fstatat(git, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
      return is_odd ? remove(git, name, shown) : Expected<void>();
    }
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return remove(git, name, shown);
    const auto text = read_all(file.get(), kLargestSettings);
    std::vector<std::string> dropped;
    const std::string kept = text ? harmless_settings(*text, dropped) : std::string();
    if (text && dropped.empty()) return {};
    if (auto gone = remove(git, name, shown); !gone) return gone;
    disarmed.back().dropped = std::move(dropped);
    const UniqueFd fresh(::openat(git, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!fresh) return fail(system_error(concat("Cannot write ", shown), errno));
    return write_all(fresh.get(), kept);
  }

  // Into the quarantine; across file systems it can only be deleted.
  Expected<void> remove(int directory, const std::string& name, const std::string& shown) {
    if (auto made = make_private_directories(quarantine_); !made) return made;
    std::string flat = shown;
    std::ranges::replace(flat, '/', '_');
    const std::string target = concat(quarantine_, "/", random_id("held", 6), "_", flat.substr(0, 150));
    const bool moved = ::renameat(directory, name.c_str(), AT_FDCWD, target.c_str()) == 0;
    if (!moved && ::unlinkat(directory, name.c_str(), 0) != 0 &&
        ::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0)
      return fail(system_error(concat("Cannot take away ", shown), errno));
    disarmed.push_back({shown, {}});
    return {};
  }

  UniqueFd workspace_;
  const std::string quarantine_;
};

}  // namespace

Expected<std::vector<Disarmed>> disarm_new(const std::string& workspace, const std::vector<Found>& before,
                                           const std::vector<Found>& after, const std::string& quarantine) {
  Disarming disarming(workspace, quarantine);
  for (const Found& found : after) {
    // A pointer leads to a repository that is found by itself, or lies outside and was out of reach.
    if (found.kind == Found::Kind::kPointer || std::ranges::binary_search(before, found)) continue;
    if (auto done = disarming.disarm(found.path); !done) return fail(done.error());
  }
  return std::move(disarming.disarmed);
}

}  // namespace helve::repository
