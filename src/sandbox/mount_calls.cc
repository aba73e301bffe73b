#include "sandbox/mount_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/strings.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

constexpr int kMostLinks = 40;  // the kernel's own limit

// The names still to walk, the next one last.
using Names = std::vector<std::string>;

void push_names(Names& names, std::string_view path) {
  const std::vector<std::string_view> pieces = split(path, '/');
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
    if (!piece->empty() && *piece != ".") names.emplace_back(*piece);
}

std::string link_target(int link) {
  char target[PATH_MAX];
  const ssize_t length = ::readlinkat(link, "", target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

struct Step {
  UniqueFd place;
  std::string path;
};

}  // namespace

bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

UniqueFd open_real(const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

UniqueFd clone_tree(int place) {
  return UniqueFd(static_cast<int>(::syscall(
      SYS_open_tree, place, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)));
}

int attach(int tree, int place) {
  return static_cast<int>(
      ::syscall(SYS_move_mount, tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH));
}

int attach_at(int tree, int directory, const char* name) {
  return static_cast<int>(::syscall(SYS_move_mount, tree, "", directory, name, MOVE_MOUNT_F_EMPTY_PATH));
}

int add_attributes(int tree, std::uint64_t attributes, std::uint64_t propagation) {
  mount_attr change{};
  change.attr_set = attributes;
  change.propagation = propagation;
  return static_cast<int>(
      ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change));
}

int map_owner_to_nobody(int tree, int other_users) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_IDMAP;
  change.userns_fd = static_cast<std::uint64_t>(other_users);
  return static_cast<int>(::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &change, sizeof change));
}

int make_read_only(int tree) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  return static_cast<int>(::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &change, sizeof change));
}

UniqueFd make_file_system(const char* type, std::span<const Option> options, std::uint64_t attributes) {
  const UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)));
  if (!context) return {};
  for (const auto& [key, value] : options)
    if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, key, value, 0) != 0) return {};
  if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
  return UniqueFd(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, attributes)));
}

int bind_on_itself(int place, bool read_only) {
  const UniqueFd tree = clone_tree(place);
  if (!tree) return -1;
  const std::uint64_t attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0);
  return add_attributes(tree.get(), attributes) == 0 ? attach(tree.get(), place) : -1;
}

Error mount_error(std::string_view what, std::string_view path, int error_number) {
  std::string hint;
  if (error_number == EPERM || error_number == EACCES) hint = user_namespace_hint();
  if (error_number == ENOSYS) hint = "It needs Linux 5.12 or newer.";
  return part_error(Part::kMountNamespace, concat(what, " ", path), error_number, std::move(hint));
}

Expected<PathWalk> walk_path(std::string_view path) {
  PathWalk walk;
  std::vector<Step> steps;  // from the root, so that ".." in a symlink's target can go back
  steps.push_back({UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), ""});
  Names names;
  push_names(names, path);
  bool arrived = true;
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (name == "..") {
      if (steps.size() > 1) steps.pop_back();
      continue;
    }
    UniqueFd next(::openat(steps.back().place.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
        return fail(system_error(concat("Cannot follow ", path), errno));
      if (errno == ENOENT) walk.missing = name;
      arrived = false;
      break;
    }
    struct stat status;
    if (::fstat(next.get(), &status) != 0) return fail(system_error(concat("Cannot stat ", path), errno));
    if (!S_ISLNK(status.st_mode)) {
      steps.push_back({std::move(next), concat(steps.back().path, "/", name)});
      continue;
    }
    const std::string target = link_target(next.get());
    walk.links.push_back(std::move(next));
    if (walk.links.size() > kMostLinks) return fail(system_error(concat("Cannot follow ", path), ELOOP));
    if (target.starts_with('/')) steps.resize(1);
    push_names(names, target);
  }
  walk.goes_on = !arrived && (!names.empty() || walk.missing.empty());
  walk.last = std::move(steps.back().place);
  walk.last_path = steps.size() == 1 ? "/" : std::move(steps.back().path);
  if (::fstat(walk.last.get(), &walk.status) != 0)
    return fail(system_error(concat("Cannot stat ", path), errno));
  return walk;
}

}  // namespace helve::sandbox
