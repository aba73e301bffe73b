#include "policy/program_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "policy/suggest_rule.h"

namespace helve::policy {
namespace {

std::string identity(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  // The change time cannot be set back by whoever replaces the content.
  return concat(path, " ", status.st_dev, ":", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec,
                ".", status.st_mtim.tv_nsec, " ", status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
}

}  // namespace

std::string identify_file(std::string_view path, std::string_view directory) {
  return identity(locate(path, directory).real);
}

std::string identify_program(std::string_view name, std::string_view directory,
                             std::string_view search_path) {
  if (name.empty()) return {};
  if (name.find('/') != std::string_view::npos) return identify_file(name, directory);
  for (const std::string_view place : split(search_path, ':')) {
    const std::string path = concat(place.empty() ? directory : place, "/", name);
    if (::access(path.c_str(), X_OK) != 0) continue;
    if (std::string found = identify_file(path, directory); !found.empty()) return found;
  }
  return {};
}

std::vector<std::string> identities_of(const shell::CommandLine& line, std::string_view directory,
                                       std::string_view search_path) {
  std::vector<std::string> found;
  for (const shell::SimpleCommand& command : line.commands) {
    if (command.words.empty() || !command.words.front().literal) continue;
    found.push_back(identify_program(command.words.front().text, directory, search_path));
    // A script counts like the program that runs it; other files that are named are taken along for
    // simplicity.
    for (std::size_t i = 1; i < command.words.size(); ++i)
      if (command.words[i].literal && is_interpreter(program_name(command.words.front().text)))
        found.push_back(identify_file(command.words[i].text, directory));
  }
  std::erase(found, "");
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace helve::policy
