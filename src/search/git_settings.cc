#include "search/git_settings.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/strings.h"
#include "search/ignore_file.h"

namespace helve::search {
namespace {

std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// `path`, seen from `directory` when it is not absolute.
std::string seen_from(std::string_view directory, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : concat(directory, "/", path);
}

}  // namespace

IgnoreEnvironment IgnoreEnvironment::of_process() {
  return {environment_variable("HOME"), environment_variable("XDG_CONFIG_HOME")};
}

std::string excludes_file_in(std::string_view configuration, std::string_view home) {
  constexpr std::string_view kKey = "excludesfile";
  while (!configuration.empty()) {
    std::string_view line = trim(first_line(configuration));
    configuration.remove_prefix(std::min(configuration.find('\n'), configuration.size() - 1) + 1);
    if (to_lower(line.substr(0, kKey.size())) != kKey) continue;
    line = trim(line.substr(kKey.size()));
    if (!line.starts_with('=')) continue;
    line = trim(line.substr(1));
    if (line.starts_with('"')) line.remove_prefix(1);
    if (line.ends_with('"')) line.remove_suffix(1);
    line = trim(line);
    if (line.empty()) continue;
    if (line.starts_with("~/")) return concat(home, line.substr(1));
    return std::string(line);
  }
  return {};
}

std::string excludes_file_of_user(const IgnoreEnvironment& environment, std::string_view workspace_root) {
  std::string settings_home = environment.xdg_config_home;
  if (settings_home.empty() && !environment.home.empty())
    settings_home = concat(environment.home, "/.config");
  std::vector<std::string> configurations;
  if (!environment.home.empty()) configurations.push_back(concat(environment.home, "/.gitconfig"));
  if (!settings_home.empty()) configurations.push_back(concat(settings_home, "/git/config"));
  for (const std::string& path : configurations) {
    const auto content = read_small_file(AT_FDCWD, path);
    if (!content) continue;
    const std::string file = excludes_file_in(*content, environment.home);
    if (!file.empty()) return seen_from(workspace_root, file);
  }
  return settings_home.empty() ? std::string() : concat(settings_home, "/git/ignore");
}

std::string exclude_file_of_repository(int directory_fd) {
  constexpr std::string_view kLeads = "gitdir: ";
  struct stat status{};
  if (::fstatat(directory_fd, ".git", &status, 0) != 0) return {};
  if (S_ISDIR(status.st_mode)) return ".git/info/exclude";
  const auto link = read_small_file(directory_fd, ".git");
  if (!link || !link->starts_with(kLeads)) return {};
  const std::string_view git_directory = first_line(*link).substr(kLeads.size());
  // A worktree shares its rules with the repository that it belongs to.
  const auto common = read_small_file(directory_fd, concat(git_directory, "/commondir"));
  if (!common) return concat(git_directory, "/info/exclude");
  return concat(seen_from(git_directory, first_line(*common)), "/info/exclude");
}

}  // namespace helve::search
