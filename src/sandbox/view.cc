// The file tree as a command sees it: read-only, with mounts for everything it may write or must not see.
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/strings.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"
#include "sandbox/reserved_paths.h"
#include "sandbox/sandbox.h"
#include "sandbox/system_mounts.h"
#include "sandbox/user_map.h"
#include "sandbox/view_places.h"

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
  // Without the minimal /dev, leave the plain socket.
  if (!tree) return keep_read_only(place, path);
  if (attach(tree.get(), place) != 0) return fail(mount_error("keep from being created", path, errno));
  return {};
}

// Whether the user could create an entry in the directory, possibly after changing its mode.
bool could_be_written(const PathWalk& walk) {
  return ::getuid() == 0 || walk.status.st_uid == ::getuid() ||
         ::faccessat(AT_FDCWD, walk.last_path.c_str(), W_OK, AT_EACCESS) == 0;
}

Expected<void> protect(const std::string& path, bool no_new_names) {
  Expected<PathWalk> walk = walk_path(path);
  if (!walk) return fail(std::move(walk.error()));
  for (const UniqueFd& link : walk->links)
    if (!is_on_read_only_mount(link.get()) && bind_on_itself(link.get(), true) != 0)
      return fail(mount_error("pin a symlink on the way to", path, errno));
  const int last = walk->last.get();
  if (is_on_read_only_mount(last)) {
    // Anything writable on or below it is a separate mount.
    return {};
  }
  if (is_placeholder(walk->status) && S_ISSOCK(walk->status.st_mode)) return cover_placeholder(last, path);
  if (walk->missing.empty() || is_placeholder(walk->status)) return keep_read_only(last, path);
  if (no_new_names || !could_be_written(*walk)) return {};
  return fail(ErrorCode::kExecutionFailed,
              concat("The sandbox cannot keep ", path, " from being created: ", walk->missing,
                     " has no placeholder in ", walk->last_path),
              "It was removed while the command was being started; try again.");
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

// Makes paths unreadable. Mode 000 is enough for an ordinary user. Root would see an empty file or directory,
// which git reports as changed or deleted, so for root the owner must be a user unknown in the namespace.
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
    // Outside the workspace an empty file is fine, and hiding from root costs a process.
    const bool from_root = ::geteuid() == 0 && is_within(path, workspace_);
    const UniqueFd tree = S_ISDIR(status.st_mode) ? make_directory(from_root) : make_file(from_root);
    if (!tree || attach(tree.get(), place.get()) != 0) return fail(mount_error("hide", path, errno));
    return {};
  }

 private:
  // False on kernels without support.
  bool hide_from_root(int tree) {
    if (!tried_) other_users_ = make_namespace_without_self();
    tried_ = true;
    return other_users_ && map_owner_to_nobody(tree, other_users_.get()) == 0;
  }

  UniqueFd make_directory(bool from_root) {
    const Option options[] = {{"mode", "000"}, {"size", "4k"}};
    UniqueFd tree =
        make_file_system("tmpfs", options, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (tree && from_root) hide_from_root(tree.get());  // needs Linux 6.3; before, it is empty
    return tree;
  }

  UniqueFd make_file(bool from_root) {
    if (const UniqueFd empty = open_real(kHiddenFile)) {
      UniqueFd tree = clone_tree(empty.get());
      if (!from_root || !tree || hide_from_root(tree.get())) return tree;
    }
    // A device on a nodev mount cannot be opened by any user.
    const UniqueFd device = open_real("/dev/null");
    UniqueFd tree = device ? clone_tree(device.get()) : UniqueFd();
    if (tree && add_attributes(tree.get(), MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY) != 0) tree.reset();
    return tree;
  }

  const std::string workspace_;
  bool tried_ = false;
  UniqueFd other_users_;
};

// Outer paths first: binding a directory includes the mounts below it, so inner ones must come later.
std::vector<std::string> outer_first(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

// Applies the exceptions within the mounted view: pinned, protected and hidden paths.
Expected<void> apply_path_rules(const Plan& plan) {
  if (plan.level == Level::kWorkspaceWrite) {
    // Pins before protections: a pin inside a protected path would otherwise copy its read-only mount, and a
    // protected path inside a pinned one must be mounted on top of the pin.
    for (const std::string& path : outer_first(plan.pinned))
      if (auto pinned = pin(path); !pinned) return pinned;
    for (const std::string& path : outer_first(plan.protected_paths))
      if (auto kept = protect(path, plan.no_new_names); !kept) return kept;
  }
  Hider hider(plan);
  for (const std::string& path : outer_first(plan.hidden))
    if (auto hidden = hider.hide(path); !hidden) return hidden;
  return {};
}

constexpr std::uint64_t kNoSuidNoDev = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// Mount trees that must be copied before anything is mounted over or made read-only.
struct SavedTrees {
  std::vector<std::pair<std::string, UniqueFd>> trees = {};  // by the path where they are mounted again
  MinimalDev dev;
  std::vector<UniqueFd> temporaries = {};
  // Symlinks in /run that lead to programs (NixOS), as name and target.
  std::vector<std::pair<std::string, std::string>> run_links = {};
  std::optional<std::pair<std::string, UniqueFd>> resolver = {};  // the file with the name servers
};

Expected<UniqueFd> copy_tree(const std::string& path) {
  const UniqueFd place = open_real(path);
  if (!place) {
    if (errno == ELOOP)
      return fail(ErrorCode::kSecurity,
                  concat("The sandbox will not use ", path, ": its path now contains a symlink"),
                  "Use the path without symlinks.");
    return fail(mount_error("open", path, errno));
  }
  UniqueFd tree = clone_tree(place.get());
  if (!tree) return fail(mount_error("copy", path, errno));
  return tree;
}

void save_run(const Plan& plan, SavedTrees& saved) {
  for (const char* name : {"current-system", "booted-system", "opengl-driver"}) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(concat("/run/", name).c_str(), target, sizeof target);
    if (length > 0) saved.run_links.emplace_back(name, std::string(target, static_cast<std::size_t>(length)));
  }
  if (!plan.network) return;
  // systemd-resolved and others store it in /run with a symlink in /etc.
  const Expected<std::string> path = real_path("/etc/resolv.conf");
  if (!path || !is_within(*path, "/run")) return;
  if (const UniqueFd place = open_real(*path))
    if (UniqueFd tree = clone_tree(place.get())) saved.resolver.emplace(*path, std::move(tree));
}

Expected<SavedTrees> save_trees(const Plan& plan, const std::vector<Place>& places) {
  SavedTrees saved{.dev = MinimalDev::collect()};
  save_run(plan, saved);
  for (const Place& place : places) {
    const bool shared_temporary = place.kind == PlaceKind::kTemporary && !plan.temporary.empty() &&
                                  plan.level == Level::kWorkspaceWrite;
    if (is_cover(place.kind) && !shared_temporary) continue;
    Expected<UniqueFd> tree = copy_tree(shared_temporary ? plan.temporary : place.path);
    if (!tree) return fail(std::move(tree.error()));
    const std::uint64_t read_only = place.kind == PlaceKind::kVisible ? MOUNT_ATTR_RDONLY : 0;
    if (add_attributes(tree->get(), kNoSuidNoDev | read_only, MS_PRIVATE) != 0)
      return fail(mount_error("prepare", place.path, errno));
    saved.trees.emplace_back(place.path, std::move(*tree));
  }
  return saved;
}

// Opens a mount point. Below a new mount, missing directories are created. Symlinks are not followed, because
// an earlier command may have left some in its temporary directory.
Expected<UniqueFd> mount_point(const std::string& path, bool as_directory) {
  if (UniqueFd place = open_real(path)) return place;
  if (errno != ENOENT && errno != ELOOP && errno != ENOTDIR) return fail(mount_error("open", path, errno));
  UniqueFd directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::vector<std::string_view> names = split(std::string_view(path).substr(1), '/');
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name(names[i]);
    const bool last = i + 1 == names.size();
    if (last && !as_directory) {
      const UniqueFd made(::openat(directory.get(), name.c_str(), O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    } else {
      ::mkdirat(directory.get(), name.c_str(), 0755);
    }
    UniqueFd next(::openat(directory.get(), name.c_str(),
                           O_PATH | O_NOFOLLOW | O_CLOEXEC | (last && !as_directory ? 0 : O_DIRECTORY)));
    if (!next)
      return fail(
          ErrorCode::kConflict,
          concat("The sandbox cannot show ", path, ": ", name, " is in the way in the temporary directory"),
          "Remove it from the session's temporary directory.");
    directory = std::move(next);
  }
  return directory;
}

Expected<void> mount_tree(int tree, const std::string& path, bool as_directory = true) {
  const Expected<UniqueFd> place = mount_point(path, as_directory);
  if (!place) return fail(place.error());
  if (attach(tree, place->get()) != 0) return fail(mount_error("mount", path, errno));
  return {};
}

Expected<void> mount_tmpfs(const std::string& path, const char* mode) {
  const Option options[] = {{"mode", mode}};
  const UniqueFd tree = make_file_system("tmpfs", options, kNoSuidNoDev);
  if (!tree) return fail(mount_error("create a file system for", path, errno));
  return mount_tree(tree.get(), path);
}

Expected<void> mount_run(const std::string& path, const SavedTrees& saved) {
  if (auto mounted = mount_tmpfs(path, "755"); !mounted || path != "/run") return mounted;
  for (const auto& [name, target] : saved.run_links)
    if (::symlink(target.c_str(), concat("/run/", name).c_str()) != 0)
      return fail(mount_error("link", concat("/run/", name), errno));
  if (!saved.resolver) return {};
  const auto& [resolver, tree] = *saved.resolver;
  if (add_attributes(tree.get(), kNoSuidNoDev | MOUNT_ATTR_RDONLY) != 0)
    return fail(mount_error("prepare", resolver, errno));
  return mount_tree(tree.get(), resolver, false);
}

Expected<void> mount_place(const Plan& plan, const Place& place, const SavedTrees& saved, Missing& missing) {
  for (const auto& [path, tree] : saved.trees)
    if (path == place.path) return mount_tree(tree.get(), path);
  switch (place.kind) {
    case PlaceKind::kDev: {
      auto mounted = saved.dev.mount();
      return mounted ? mounted : record_missing(plan, missing, Part::kMinimalDev, std::move(mounted.error()));
    }
    case PlaceKind::kProc: return mount_proc(plan, missing);
    case PlaceKind::kRun: return mount_run(place.path, saved);
    default: return mount_tmpfs(place.path, "1777");
  }
}

}  // namespace

Expected<void> build_view(const Plan& plan, Missing& missing) {
  if (plan.level == Level::kOff) return {};
  // Here and not in enter_namespaces(): the launcher keeps the real mounts, where it can remove its
  // placeholders, and no caller can mount a view over the machine itself by mistake.
  if (::unshare(CLONE_NEWNS) != 0)
    return record_missing(plan, missing, Part::kMountNamespace, mount_error("create", "it", errno));
  const Expected<std::vector<Place>> places = arrange_places(plan, find_covers());
  if (!places) return fail(places.error());
  const Expected<SavedTrees> saved = save_trees(plan, *places);
  if (!saved) return fail(saved.error());
  const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (add_attributes(root.get(), kNoSuidNoDev | MOUNT_ATTR_RDONLY, MS_PRIVATE) != 0)
    return fail(mount_error("make everything read-only from", "/", errno));
  for (const Place& place : *places)
    if (auto mounted = mount_place(plan, place, *saved, missing); !mounted) return mounted;
  if (auto applied = apply_path_rules(plan); !applied) return applied;
  // The old working directory is below the new mounts.
  if (::chdir(plan.workspace.empty() ? "/" : plan.workspace.c_str()) != 0)
    return fail(mount_error("enter", plan.workspace, errno));
  make_undumpable();
  return {};
}

}  // namespace helve::sandbox
