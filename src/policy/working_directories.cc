#include "policy/working_directories.h"

#include <algorithm>

#include "base/strings.h"
#include "policy/harmless.h"

namespace helve::policy {
namespace {

constexpr std::size_t kMostDirectories = 16;

}  // namespace

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
    return lies_in(location.given, surroundings_->workspace) &&
           lies_in(location.real, surroundings_->workspace);
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
