#include "repository/armed_parts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "repository/git_config.h"

namespace helve::repository {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestModule = 8;
constexpr std::size_t kMost = 5000;
constexpr std::size_t kLargestSettings = std::size_t{1} << 20;

bool is_there(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

// Hooks and further settings that the repository's own settings name, as far as they lie in the workspace.
void add_named_elsewhere(const fs::path& git_directory, const std::string& workspace,
                         std::vector<std::string>& parts) {
  const auto text = read_file((git_directory / "config").string(), kLargestSettings);
  if (!text) return;
  for (const GitSetting& setting : parse_git_config(*text).settings) {
    const bool hooks = setting.section == "core" && setting.key == "hookspath";
    const bool include =
        (setting.section == "include" || setting.section == "includeif") && setting.key == "path";
    if ((!hooks && !include) || setting.value.empty()) continue;
    fs::path path = setting.value;
    if (setting.value.starts_with("~/")) path = environment_variable("HOME") + setting.value.substr(1);
    // Hooks are looked for from the working tree on, other files from the settings on.
    if (path.is_relative()) path = (hooks ? git_directory.parent_path() : git_directory) / path;
    const auto real = real_path(path.lexically_normal().string());
    if (real && real->starts_with(workspace + "/")) parts.push_back(*real);
  }
}

void add_parts(const fs::path& git_directory, const std::string& workspace, int depth,
               std::vector<std::string>& parts) {
  parts.push_back((git_directory / "hooks/").string());
  parts.push_back((git_directory / "config").string());
  // Where these are missing, nothing can hold their place without confusing git; settle() looks at them.
  for (const char* name : {"config.worktree", "commondir"})
    if (is_there(git_directory / name)) parts.push_back((git_directory / name).string());
  add_named_elsewhere(git_directory, workspace, parts);
  if (depth == kDeepestModule) return;
  for (const std::string_view inner : {"modules", "worktrees"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(git_directory / inner, error), end; !error && it != end;
         it.increment(error)) {
      if (parts.size() > kMost || it.depth() > kDeepestModule) return;
      std::error_code ignored;
      if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
      if (!is_there(it->path() / "HEAD")) continue;
      it.disable_recursion_pending();
      add_parts(it->path(), workspace, depth + 1, parts);
    }
  }
}

}  // namespace

std::vector<std::string> armed_parts(const std::string& git_directory, const std::string& workspace) {
  std::vector<std::string> parts;
  add_parts(git_directory, workspace, 0, parts);
  return parts;
}

void break_hard_links(const std::string& git_directory) {
  for (const char* name : {"config", "config.worktree"}) {
    const std::string path = concat(git_directory, "/", name);
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2) continue;
    const auto text = read_file(path, kLargestSettings);
    if (!text) continue;
    const std::string copy = concat(path, ".", random_id("own", 8));
    const UniqueFd file(
        ::open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777U));
    if (!file) continue;
    if (!write_all(file.get(), *text) || ::rename(copy.c_str(), path.c_str()) != 0) ::unlink(copy.c_str());
  }
}

std::string harmless_settings(std::string_view configuration, std::vector<std::string>& dropped) {
  GitConfig config = parse_git_config(configuration);
  std::vector<GitSetting> kept;
  for (GitSetting& setting : config.settings) {
    if (is_harmless(setting))
      kept.push_back(std::move(setting));
    else
      dropped.push_back(setting.name());
  }
  if (!config.understood) dropped.emplace_back("(what cannot be read)");
  return write_git_config(kept);
}

}  // namespace helve::repository
