#include "sandbox/view_guards.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "sandbox/minimal_dev.h"
#include "sandbox/mount_calls.h"
#include "sandbox/path_walk.h"
#include "sandbox/placeholders.h"
#include "sandbox/user_map.h"

namespace helve::sandbox {
namespace {

bool is_on_read_only_mount(int place) {
  struct statvfs status;
  return ::fstatvfs(place, &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

Expected<void> keep_read_only(int place, std::string_view path) {
  if (bind_on_itself(place, true) != 0) return fail(mount_error("protect", path, errno));
  return {};
}

Expected<void> cover_placeholder(int place, std::string_view path) {
  const UniqueFd nowhere(::open(kMissingLink, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  const UniqueFd tree = nowhere ? clone_tree(nowhere.get()) : UniqueFd();
  // Without a /dev of ours the bare socket has to do.
  if (!tree) return keep_read_only(place, path);
  if (attach(tree.get(), place) != 0) return fail(mount_error("keep from being made", path, errno));
  return {};
}

// Whether the user could make an entry in the directory, if need be by changing its mode first.
bool could_be_written(const PathWalk& walk) {
  return ::getuid() == 0 || walk.status.st_uid == ::getuid() ||
         ::faccessat(AT_FDCWD, walk.last_path.c_str(), W_OK, AT_EACCESS) == 0;
}

Expected<void> protect(const std::string& path) {
  Expected<PathWalk> walk = walk_path(path);
  if (!walk) return fail(std::move(walk.error()));
  for (const UniqueFd& link : walk->links)
    if (!is_on_read_only_mount(link.get()) && bind_on_itself(link.get(), true) != 0)
      return fail(mount_error("pin a link on the way to", path, errno));
  const int last = walk->last.get();
  if (is_on_read_only_mount(last)) {
    // It may be so by itself while something writable is mounted on or below it; then it has a mount there.
    return {};
  }
  if (is_placeholder(walk->status) && S_ISSOCK(walk->status.st_mode)) return cover_placeholder(last, path);
  if (walk->missing.empty() || is_placeholder(walk->status)) return keep_read_only(last, path);
  if (!could_be_written(*walk)) return {};
  return fail(ErrorCode::kExecutionFailed,
              concat("The sandbox cannot keep ", path, " from being made: ", walk->missing,
                     " has no placeholder in ", walk->last_path),
              "Something removed it while the command was started; try again.");
}

Expected<void> pin(const std::string& path) {
  const UniqueFd place = open_real(path);
  if (!place) {
    if (errno == ENOENT) return {};
    return fail(mount_error("pin", path, errno));
  }
  if (is_on_read_only_mount(place.get())) return {};
  if (bind_on_itself(place.get(), false) != 0) return fail(mount_error("pin", path, errno));
  return {};
}

// Makes places unreadable. A mode of 000 is enough for an ordinary user. Root would see an empty file or
// directory, which git takes for changed or deleted; there it is the owner that decides, whom the namespace
// must not know.
class Hider {
 public:
  explicit Hider(const Plan& plan) : workspace_(plan.workspace) {}

  Expected<void> hide(const std::string& path) {
    UniqueFd place = open_real(path);
    if (!place && errno == ELOOP)
      if (const Expected<std::string> real = real_path(path)) place = open_real(*real);
    if (!place) {
      if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return {};
      return fail(mount_error("hide", path, errno));
    }
    struct stat status;
    if (::fstat(place.get(), &status) != 0) return fail(mount_error("hide", path, errno));
    // Elsewhere nobody minds, and it costs a process.
    const bool from_root = ::geteuid() == 0 && is_within(path, workspace_);
    const UniqueFd tree = S_ISDIR(status.st_mode) ? make_directory(from_root) : make_file(from_root);
    if (!tree || attach(tree.get(), place.get()) != 0) return fail(mount_error("hide", path, errno));
    return {};
  }

 private:
  // False on kernels that cannot do this.
  bool keep_from_root(int tree) {
    if (!tried_) strangers_ = make_namespace_of_strangers();
    tried_ = true;
    return strangers_ && give_to_nobody(tree, strangers_.get()) == 0;
  }

  UniqueFd make_directory(bool from_root) {
    const Option options[] = {{"mode", "000"}, {"size", "4k"}};
    UniqueFd tree =
        make_file_system("tmpfs", options, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (tree && from_root) keep_from_root(tree.get());  // Linux 6.3; before that it is empty
    return tree;
  }

  UniqueFd make_file(bool from_root) {
    if (const UniqueFd empty = open_real(kHiddenFile)) {
      UniqueFd tree = clone_tree(empty.get());
      if (!from_root || !tree || keep_from_root(tree.get())) return tree;
    }
    // A device on a mount without devices cannot be opened by anybody.
    const UniqueFd device = open_real("/dev/null");
    UniqueFd tree = device ? clone_tree(device.get()) : UniqueFd();
    if (tree && add_attributes(tree.get(), MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY) != 0) tree.reset();
    return tree;
  }

  const std::string workspace_;
  bool tried_ = false;
  UniqueFd strangers_;
};

// Outer paths first: a bind of a directory takes what is mounted below along, so later ones lie on top.
std::vector<std::string> outer_first(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

}  // namespace

Expected<void> guard_paths(const Plan& plan) {
  if (plan.level == Level::kWorkspaceWrite) {
    // Pins before protections: a pin inside of something protected would otherwise be a copy of its read-only
    // mount at best, and a protected path inside of a pinned one has to lie on the pin.
    for (const std::string& path : outer_first(plan.pinned))
      if (auto pinned = pin(path); !pinned) return pinned;
    for (const std::string& path : outer_first(plan.protected_paths))
      if (auto kept = protect(path); !kept) return kept;
  }
  Hider hider(plan);
  for (const std::string& path : outer_first(plan.hidden))
    if (auto hidden = hider.hide(path); !hidden) return hidden;
  return {};
}

}  // namespace helve::sandbox
