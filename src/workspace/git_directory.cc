#include "workspace/git_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/path_check.h"
#include "workspace/root_walk.h"

namespace helve {
namespace {

using Names = std::span<const std::string_view>;

// What git runs programs for, or takes settings from elsewhere for.
constexpr std::string_view kArms[] = {"hooks", "config", "config.worktree", "commondir"};
// What makes a repository of a directory with a HEAD; fewer than git wants, because some may lie elsewhere.
constexpr std::string_view kBody[] = {"objects", "refs", "commondir"};

bool is_among(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool has_any(int directory, Names names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    struct stat status{};
    return ::fstatat(directory, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  });
}

}  // namespace

bool has_git_head(int directory_fd) {
  char start[8] = {};
  const UniqueFd head(::openat(directory_fd, "HEAD", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!head) return errno == ELOOP || errno == EACCES;
  const ssize_t got = ::read(head.get(), start, sizeof start);
  const std::string_view text(start, got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.starts_with("ref:") ||
         (text.size() == sizeof start &&
          text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos);
}

std::optional<ProtectedRule> find_git_protection(int base, std::span<const std::string> components) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string name = to_lower(components[i]);  // some disks do not tell CONFIG from config
    const bool is_arm = is_among(kArms, name);
    const bool is_body = is_among(kBody, name);
    const bool is_head = name == "head" && i + 1 == components.size();
    if (!is_arm && !is_body && !is_head) continue;
    const UniqueFd directory(
        open_plain(base, join_path(components.first(i)), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return {};  // nothing is there yet, so nothing is beneath it either
    const bool has_head = has_git_head(directory.get());
    if (!has_head && !is_head) continue;
    const bool has_body = has_any(directory.get(), kBody);
    if (has_head && has_body && is_arm)
      return ProtectedRule{"bare repository", "git runs what the hooks and settings of this repository name"};
    if ((has_head && has_body) || (!has_body && !is_body)) continue;
    if (name == "commondir" || has_any(directory.get(), kArms))
      return ProtectedRule{
          "bare repository",
          "with it, git would take its directory for a repository, and run what the hooks and "
          "settings there name"};
  }
  return {};
}

}  // namespace helve
