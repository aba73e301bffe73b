#include "search/ignore_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::search {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;  // larger files are not ignore files
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// Resolves a relative `path` against `directory`.
std::string resolve_from(std::string_view directory, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : concat(directory, "/", path);
}

}  // namespace

RuleList parse_ignore_file(std::string_view text) {
  constexpr GlobOptions kOptions{.braces = false, .lenient_classes = true};
  RuleList rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    (void)rules.add_line(line, kOptions);
  }
  rules.finish();
  return rules;
}

std::optional<std::string> read_small_file(int directory_fd, const std::string& path) {
  // The file may be a FIFO, or a symlink out of the workspace, which git does not follow either.
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (directory_fd == AT_FDCWD ? 0 : O_NOFOLLOW);
  const UniqueFd fd(::openat(directory_fd, path.c_str(), flags));
  if (!fd) return std::nullopt;
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kLargestFile) return std::nullopt;
  std::string content(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(fd.get(), content.data() + filled, size - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  content.resize(filled);
  return content;
}

RuleList read_ignore_file(int directory_fd, const std::string& path) {
  const auto content = read_small_file(directory_fd, path);
  return content ? parse_ignore_file(*content) : RuleList();
}

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
    if (!file.empty()) return resolve_from(workspace_root, file);
  }
  return settings_home.empty() ? std::string() : concat(settings_home, "/git/ignore");
}

std::string exclude_file_of_repository(int directory_fd) {
  constexpr std::string_view kGitdir = "gitdir: ";
  struct stat status{};
  if (::fstatat(directory_fd, ".git", &status, 0) != 0) return {};
  if (S_ISDIR(status.st_mode)) return ".git/info/exclude";
  const auto link = read_small_file(directory_fd, ".git");
  if (!link || !link->starts_with(kGitdir)) return {};
  const std::string_view git_directory = first_line(*link).substr(kGitdir.size());
  // A worktree uses the rules of its repository.
  const auto common = read_small_file(directory_fd, concat(git_directory, "/commondir"));
  if (!common) return concat(git_directory, "/info/exclude");
  return concat(resolve_from(git_directory, first_line(*common)), "/info/exclude");
}

}  // namespace helve::search
