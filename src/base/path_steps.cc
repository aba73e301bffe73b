#include "base/path_steps.h"

#include <sys/stat.h>

#include <deque>
#include <filesystem>

#include "base/strings.h"

namespace helve {

std::vector<std::string> path_steps(const std::string& path) {
  constexpr std::size_t kMostLinks = 40;  // as in the kernel
  std::vector<std::string> steps;
  std::deque<std::string> names;
  const auto names_in = [](std::string_view text) {
    std::deque<std::string> found;
    for (const std::string_view name : split(text, '/'))
      if (!name.empty() && name != ".") found.emplace_back(name);
    return found;
  };
  names = names_in(path);
  std::string at;
  while (!names.empty()) {
    const std::string name = std::move(names.front());
    names.pop_front();
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = concat(at, "/", name);
    struct stat status{};
    std::error_code error;
    if (steps.size() < kMostLinks && ::lstat(next.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
      steps.push_back(next);
      const std::string target = std::filesystem::read_symlink(next, error).string();
      if (target.starts_with('/')) at.clear();
      std::deque<std::string> rest = names_in(target);
      names.insert(names.begin(), rest.begin(), rest.end());
      continue;
    }
    at = next;
  }
  steps.push_back(at.empty() ? "/" : at);
  return steps;
}

}  // namespace helve
