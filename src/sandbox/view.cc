// The file tree as a command sees it: everything read-only, and laid anew what it may write or must not see.
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/strings.h"
#include "sandbox/minimal_dev.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"
#include "sandbox/private_proc.h"
#include "sandbox/sandbox.h"
#include "sandbox/shield.h"
#include "sandbox/view_guards.h"
#include "sandbox/view_places.h"

namespace helve::sandbox {
namespace {

constexpr std::uint64_t kHarmless = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// What has to be held before anything is covered or made read-only.
struct Held {
  std::vector<std::pair<std::string, UniqueFd>> trees = {};  // by the path at which they are laid again
  MinimalDev dev;
  std::vector<UniqueFd> temporaries = {};
  // Links below /run that lead to programs (NixOS), as name and target.
  std::vector<std::pair<std::string, std::string>> run_links = {};
  std::optional<std::pair<std::string, UniqueFd>> resolver = {};  // where the name servers are written
};

Expected<UniqueFd> hold(const std::string& path) {
  const UniqueFd place = open_real(path);
  if (!place) {
    if (errno == ELOOP)
      return fail(ErrorCode::kSecurity,
                  concat("The sandbox will not use ", path, ": it now leads over a link"),
                  "Give the real path.");
    return fail(mount_error("open", path, errno));
  }
  UniqueFd tree = clone_tree(place.get());
  if (!tree) return fail(mount_error("copy", path, errno));
  return tree;
}

void hold_run(const Plan& plan, Held& held) {
  for (const char* name : {"current-system", "booted-system", "opengl-driver"}) {
    char target[PATH_MAX];
    const ssize_t length = ::readlink(concat("/run/", name).c_str(), target, sizeof target);
    if (length > 0) held.run_links.emplace_back(name, std::string(target, static_cast<std::size_t>(length)));
  }
  if (!plan.network) return;
  // systemd-resolved and others write it to /run and leave a link in /etc.
  const Expected<std::string> path = real_path("/etc/resolv.conf");
  if (!path || !is_within(*path, "/run")) return;
  if (const UniqueFd place = open_real(*path))
    if (UniqueFd tree = clone_tree(place.get())) held.resolver.emplace(*path, std::move(tree));
}

Expected<Held> hold_all(const Plan& plan, const std::vector<Place>& places) {
  Held held{.dev = MinimalDev::collect()};
  hold_run(plan, held);
  for (const Place& place : places) {
    const bool by_session = place.kind == PlaceKind::kTemporary && !plan.temporary.empty() &&
                            plan.level == Level::kWorkspaceWrite;
    if (is_cover(place.kind) && !by_session) continue;
    Expected<UniqueFd> tree = hold(by_session ? plan.temporary : place.path);
    if (!tree) return fail(std::move(tree.error()));
    const std::uint64_t read_only = place.kind == PlaceKind::kVisible ? MOUNT_ATTR_RDONLY : 0;
    if (add_attributes(tree->get(), kHarmless | read_only, MS_PRIVATE) != 0)
      return fail(mount_error("prepare", place.path, errno));
    held.trees.emplace_back(place.path, std::move(*tree));
  }
  return held;
}

// The handle to lay something on. Below something that was laid anew the directories may have to be made;
// links are not followed, since the command before may have left some in its temporary directory.
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

Expected<void> lay_tree(int tree, const std::string& path, bool as_directory = true) {
  const Expected<UniqueFd> place = mount_point(path, as_directory);
  if (!place) return fail(place.error());
  if (attach(tree, place->get()) != 0) return fail(mount_error("lay", path, errno));
  return {};
}

Expected<void> lay_fresh(const std::string& path, const char* mode) {
  const Option options[] = {{"mode", mode}};
  const UniqueFd tree = make_file_system("tmpfs", options, kHarmless);
  if (!tree) return fail(mount_error("make a file system for", path, errno));
  return lay_tree(tree.get(), path);
}

Expected<void> lay_run(const std::string& path, const Held& held) {
  if (auto laid = lay_fresh(path, "755"); !laid || path != "/run") return laid;
  for (const auto& [name, target] : held.run_links)
    if (::symlink(target.c_str(), concat("/run/", name).c_str()) != 0)
      return fail(mount_error("link", concat("/run/", name), errno));
  if (!held.resolver) return {};
  const auto& [resolver, tree] = *held.resolver;
  if (add_attributes(tree.get(), kHarmless | MOUNT_ATTR_RDONLY) != 0)
    return fail(mount_error("prepare", resolver, errno));
  return lay_tree(tree.get(), resolver, false);
}

Expected<void> lay(const Plan& plan, const Place& place, const Held& held, Missing& missing) {
  for (const auto& [path, tree] : held.trees)
    if (path == place.path) return lay_tree(tree.get(), path);
  switch (place.kind) {
    case PlaceKind::kDev: {
      auto laid = held.dev.lay();
      return laid ? laid : do_without(plan, missing, Part::kMinimalDev, std::move(laid.error()));
    }
    case PlaceKind::kProc: return lay_proc(plan, missing);
    case PlaceKind::kRun: return lay_run(place.path, held);
    default: return lay_fresh(place.path, "1777");
  }
}

}  // namespace

Expected<void> build_view(const Plan& plan, Missing& missing) {
  if (plan.level == Level::kOff) return {};
  // Here and not in enter_namespaces(): the launcher stays with the real mounts, among which it can remove
  // its placeholders, and no caller can lay a view over the machine itself by mistake.
  if (::unshare(CLONE_NEWNS) != 0)
    return do_without(plan, missing, Part::kMountNamespace, mount_error("make", "it", errno));
  const Expected<std::vector<Place>> places = arrange_places(plan, find_covers());
  if (!places) return fail(places.error());
  const Expected<Held> held = hold_all(plan, *places);
  if (!held) return fail(held.error());
  const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (add_attributes(root.get(), kHarmless | MOUNT_ATTR_RDONLY, MS_PRIVATE) != 0)
    return fail(mount_error("make everything read-only from", "/", errno));
  for (const Place& place : *places)
    if (auto laid = lay(plan, place, *held, missing); !laid) return laid;
  if (auto guarded = guard_paths(plan); !guarded) return guarded;
  // The old working directory lies beneath what was laid over it.
  if (::chdir(plan.workspace.empty() ? "/" : plan.workspace.c_str()) != 0)
    return fail(mount_error("enter", plan.workspace, errno));
  shield_self();
  return {};
}

}  // namespace helve::sandbox
