#include "policy/location.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/git_directory.h"
#include "workspace/path_check.h"
#include "workspace/protected_paths.h"

namespace helve::policy {
namespace {

constexpr int kMostLinks = 40;

std::string absolute(const std::vector<std::string>& components) { return "/" + join(components, "/"); }

std::optional<std::string> read_link(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length <= 0) return std::nullopt;
  target.resize(static_cast<std::size_t>(length));
  return target;
}

// As the kernel walks: `..` is taken after the link before it was followed.
std::string follow(std::vector<std::string> components) {
  std::deque<std::string> left(components.begin(), components.end());
  std::vector<std::string> done;
  int links = 0;
  while (!left.empty()) {
    std::string component = std::move(left.front());
    left.pop_front();
    if (component == "..") {
      if (!done.empty()) done.pop_back();
      continue;
    }
    done.push_back(std::move(component));
    const auto target = read_link(absolute(done));
    if (!target || ++links > kMostLinks) continue;
    const PathText text = split_path(*target);
    if (text.absolute)
      done.clear();
    else
      done.pop_back();
    left.insert(left.begin(), text.components.begin(), text.components.end());
  }
  return absolute(done);
}

}  // namespace

Location locate(std::string_view path, std::string_view directory) {
  const std::string whole = path.starts_with('/') ? std::string(path) : concat(directory, "/", path);
  PathText text = split_path(whole);
  Location location;
  location.given = absolute(normalised(text.components));
  location.real = follow(std::move(text.components));
  return location;
}

WriteProtection write_protection(const Location& location, const Surroundings& surroundings) {
  const PathText root = split_path(surroundings.workspace);
  std::optional<std::vector<std::string>> home;
  if (!surroundings.home.empty()) home = beneath(split_path(surroundings.home).components, root.components);
  const ProtectedPaths protection(default_protected_rules(), home);
  const UniqueFd workspace(::open(surroundings.workspace.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  WriteProtection found;
  for (const std::string* path : {&location.given, &location.real}) {
    for (const std::string& own : surroundings.own_directories)
      if (lies_in(*path, own)) return {concat(*path, " is Helve's own, which no tool may write"), true};
    const auto inside = beneath(split_path(*path).components, root.components);
    if (!inside) continue;
    if (std::ranges::any_of(*inside, [](const std::string& name) { return to_lower(name) == ".helve"; }))
      return {concat(join_path(*inside), " is Helve's own configuration, which no tool may write"), true};
    if (const ProtectedRule* rule = protection.find(*inside))
      found.reason = concat(join_path(*inside), " is protected: ", rule->reason);
    else if (const auto git = find_git_protection(workspace.get(), *inside))
      found.reason = concat(join_path(*inside), " is protected: ", git->reason);
  }
  return found;
}

}  // namespace helve::policy
