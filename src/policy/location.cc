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
#include "policy/command_words.h"
#include "workspace/git_programs.h"
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

// Resolves like the kernel: `..` applies after the symlink before it was followed.
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
    const workspace::PathText text = workspace::split_path(*target);
    if (text.absolute)
      done.clear();
    else
      done.pop_back();
    left.insert(left.begin(), text.components.begin(), text.components.end());
  }
  return absolute(done);
}

constexpr std::size_t kMostDirectories = 16;

}  // namespace

Location locate(std::string_view path, std::string_view directory) {
  const std::string whole = path.starts_with('/') ? std::string(path) : concat(directory, "/", path);
  workspace::PathText text = workspace::split_path(whole);
  Location location;
  location.given = absolute(workspace::normalised(text.components));
  location.real = follow(std::move(text.components));
  return location;
}

WriteProtection write_protection(const Location& location, const Surroundings& surroundings) {
  const workspace::PathText root = workspace::split_path(surroundings.workspace);
  std::optional<std::vector<std::string>> home;
  if (!surroundings.home.empty())
    home = workspace::beneath(workspace::split_path(surroundings.home).components, root.components);
  const workspace::ProtectedPaths protection(workspace::default_protected_rules(), home);
  const UniqueFd workspace(::open(surroundings.workspace.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  WriteProtection found;
  for (const std::string* path : {&location.given, &location.real}) {
    for (const std::string& own : surroundings.own_directories)
      if (is_within(*path, own)) return {concat(*path, " belongs to Helve; no tool may write it"), true};
    const auto inside = workspace::beneath(workspace::split_path(*path).components, root.components);
    if (!inside) continue;
    if (std::ranges::any_of(*inside, [](const std::string& name) { return to_lower(name) == ".helve"; }))
      return {concat(workspace::join_path(*inside), " is Helve's configuration; no tool may write it"), true};
    if (const workspace::ProtectedRule* rule = protection.find(*inside))
      found.reason = concat(workspace::join_path(*inside), " is protected: ", rule->reason);
    else if (const auto git = workspace::find_git_protection(workspace.get(), *inside))
      found.reason = concat(workspace::join_path(*inside), " is protected: ", git->reason);
    else if (const auto program = workspace::find_git_program(surroundings.workspace, *inside))
      found.reason = concat(workspace::join_path(*inside), " is protected: ", program->reason);
  }
  return found;
}

bool changes_directory(const shell::SimpleCommand& command) {
  if (command.words.empty()) return false;
  const std::string& program = command.words.front().text;
  return program == "cd" || program == "pushd" || program == "popd" || program == "chdir";
}

std::vector<Location> WorkingDirectories::locate_from(std::span<const std::string> directories,
                                                      const shell::Word& word) const {
  std::string path = word.text;
  if (!word.literal) {
    if (!is_home_path(word) || surroundings_->home.empty()) return {};
    path = concat(surroundings_->home, word.text.substr(1));
  }
  if (path.starts_with('/')) return {locate(path, "/")};
  if (!known_) return {};
  std::vector<Location> locations;
  for (const std::string& directory : directories) locations.push_back(locate(path, directory));
  return locations;
}

std::vector<Location> WorkingDirectories::targets(const shell::SimpleCommand& change,
                                                  std::span<const std::string> directories) const {
  const std::string& program = change.words.front().text;
  std::vector<shell::Word> arguments;
  for (std::size_t i = 1; i < change.words.size(); ++i) {
    const shell::Word& word = change.words[i];
    if (word.literal && (word.text == "-P" || word.text == "-L" || word.text == "--")) continue;
    arguments.push_back(word);
  }
  const bool plain = arguments.size() == 1 && !arguments.front().text.starts_with('-') &&
                     !arguments.front().text.starts_with('+') && program != "popd";
  return plain && !change.open_ended ? locate_from(directories, arguments.front()) : std::vector<Location>();
}

bool WorkingDirectories::stays_inside(const shell::SimpleCommand& change) const {
  const std::vector<Location> locations = targets(change, latest_);
  return !locations.empty() && std::ranges::all_of(locations, [&](const Location& location) {
    return is_within(location.given, surroundings_->workspace) &&
           is_within(location.real, surroundings_->workspace);
  });
}

void WorkingDirectories::follow(const shell::SimpleCommand& command) {
  if (!changes_directory(command)) return;
  const std::vector<Location> locations = targets(command, possible_);
  known_ = known_ && !locations.empty();
  const auto add_to = [](std::vector<std::string>& list, const Location& location) {
    for (const std::string* path : {&location.given, &location.real})
      if (std::ranges::find(list, *path) == list.end()) list.push_back(*path);
  };
  std::vector<std::string> latest;
  for (const Location& location : targets(command, latest_)) add_to(latest, location);
  for (const Location& location : locations) add_to(possible_, location);
  latest_ = std::move(latest);
  known_ = known_ && possible_.size() <= kMostDirectories;
}

}  // namespace helve::policy
