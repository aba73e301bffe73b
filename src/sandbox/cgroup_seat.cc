// Where this process sits in the cgroup trees of the machine.
#include <algorithm>

#include "base/strings.h"
#include "sandbox/cgroup.h"
#include "sandbox/mount_calls.h"

namespace helve::sandbox {
namespace {

struct Tree {
  std::string root;  // what of the tree is mounted
  std::string mount_point;
};

// The directory for a path in the tree; empty when the mount does not show it.
std::string directory_in(const Tree& tree, std::string_view path) {
  if (tree.mount_point.empty() || !is_within(path, tree.root)) return {};
  std::string_view rest = tree.root == "/" ? path : path.substr(tree.root.size());
  if (rest == "/") rest = {};
  return concat(tree.mount_point, rest);
}

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = split(list, ',');
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

CgroupSeat find_cgroup_seat(std::string_view mounts, std::string_view membership) {
  Tree unified;
  Tree memory;
  Tree pids;
  for (const std::string_view line : split(mounts, '\n')) {
    // 36 35 98:0 /root /mount/point options… - type source super-options
    const std::vector<std::string_view> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 10 || words.end() - dash < 4) continue;
    const Tree tree{std::string(words[3]), std::string(words[4])};
    if (dash[1] == "cgroup2") unified = tree;
    if (dash[1] != "cgroup") continue;
    if (has_word(dash[3], "memory")) memory = tree;
    if (has_word(dash[3], "pids")) pids = tree;
  }
  CgroupSeat seat;
  for (const std::string_view line : split(membership, '\n')) {
    // 4:memory:/path, or 0::/path for version 2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      seat.unified = directory_in(unified, path);
      seat.unified_top = unified.mount_point;
    }
    if (has_word(controllers, "memory")) seat.memory = directory_in(memory, path);
    if (has_word(controllers, "pids")) seat.pids = directory_in(pids, path);
  }
  return seat;
}

}  // namespace helve::sandbox
