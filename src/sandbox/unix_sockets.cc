#include "sandbox/unix_sockets.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/mount_calls.h"
#include "sandbox/view_places.h"

namespace helve::sandbox {

std::vector<std::string> socket_paths(std::string_view table) {
  std::vector<std::string> paths;
  for (const std::string_view line : split(table, '\n')) {
    // Num RefCount Protocol Flags Type St Inode Path; only the path can hold a slash.
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos || slash == 0 || line[slash - 1] != ' ') continue;
    paths.emplace_back(line.substr(slash));
  }
  std::ranges::sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  return paths;
}

std::vector<std::string> find_outside_sockets(const Plan& plan) {
  std::vector<std::string> found;
  const Expected<std::string> table = read_file("/proc/net/unix");
  if (!table) return found;
  const std::vector<Place> covers = find_covers();
  const auto own = [&](const std::string& path) {
    return is_within(path, plan.workspace) ||
           std::ranges::any_of(plan.writable,
                               [&](const std::string& place) { return is_within(path, place); });
  };
  for (const std::string& path : socket_paths(*table)) {
    const Expected<std::string> real = real_path(path);
    struct stat status;
    if (!real || ::lstat(real->c_str(), &status) != 0 || !S_ISSOCK(status.st_mode) || own(*real)) continue;
    const bool covered =
        std::ranges::any_of(covers, [&](const Place& cover) { return is_within(*real, cover.path); });
    if (!covered) found.push_back(*real);
  }
  return found;
}

}  // namespace helve::sandbox
