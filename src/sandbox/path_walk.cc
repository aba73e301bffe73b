#include "sandbox/path_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/strings.h"

namespace helve::sandbox {
namespace {

constexpr int kMostLinks = 40;  // as the kernel's own limit

// The names still to be walked, the next one last.
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

Expected<PathWalk> walk_path(std::string_view path) {
  PathWalk walk;
  std::vector<Step> steps;  // from the root to where we are, so that ".." of a link's target can go back
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
    if (::fstat(next.get(), &status) != 0) return fail(system_error(concat("Cannot look at ", path), errno));
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
    return fail(system_error(concat("Cannot look at ", path), errno));
  return walk;
}

}  // namespace helve::sandbox
