#include "search/ignore_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/git_config.h"

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

RuleList parse_ignore_file(std::string_view text, LetterCase letters) {
  RuleList rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    rules.add_ignore_line(line, letters);
  }
  rules.finish();
  return rules;
}

std::optional<std::string> read_small_file(int directory_fd, const std::string& path, Links links) {
  // The file may be a FIFO. Git does not follow a .gitignore that is a symlink.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (links == Links::kRefuse ? O_NOFOLLOW : 0);
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

RuleList read_ignore_file(int directory_fd, const std::string& path, Links links, LetterCase letters) {
  const auto content = read_small_file(directory_fd, path, links);
  return content ? parse_ignore_file(*content, letters) : RuleList();
}

IgnoreEnvironment IgnoreEnvironment::of_process() {
  return {environment_variable("HOME"), environment_variable("XDG_CONFIG_HOME"), "/etc/gitconfig"};
}

IgnoreSettings ignore_settings_in(std::string_view configuration, std::string_view home) {
  IgnoreSettings found;
  for (workspace::GitSetting& setting : workspace::parse_git_config(configuration).settings) {
    if (setting.section != "core" || !setting.subsection.empty()) continue;
    if (setting.key == "excludesfile")
      found.excludes_file =
          setting.value.starts_with("~/") ? concat(home, setting.value.substr(1)) : std::move(setting.value);
    else if (setting.key == "ignorecase")
      found.letters = workspace::is_true(setting) ? LetterCase::kIgnored : LetterCase::kDiffers;
  }
  return found;
}

IgnoreSettings ignore_settings_of_user(const IgnoreEnvironment& environment) {
  std::string settings_home = environment.xdg_config_home;
  if (settings_home.empty() && !environment.home.empty())
    settings_home = concat(environment.home, "/.config");
  // A later file overrides an earlier one.
  IgnoreSettings settings{.excludes_file =
                              settings_home.empty() ? std::string() : concat(settings_home, "/git/ignore")};
  for (const std::string& path :
       {environment.system_config, settings_home.empty() ? "" : concat(settings_home, "/git/config"),
        environment.home.empty() ? "" : concat(environment.home, "/.gitconfig")}) {
    const auto content = path.empty() ? std::nullopt : read_small_file(AT_FDCWD, path, Links::kFollow);
    if (!content) continue;
    IgnoreSettings named = ignore_settings_in(*content, environment.home);
    if (named.excludes_file) settings.excludes_file = std::move(named.excludes_file);
    if (named.letters) settings.letters = named.letters;
  }
  return settings;
}

std::string git_directory_of(int directory_fd) {
  constexpr std::string_view kGitdir = "gitdir: ";
  struct stat status{};
  if (::fstatat(directory_fd, ".git", &status, 0) != 0) return {};
  if (S_ISDIR(status.st_mode)) return ".git";
  const auto link = read_small_file(directory_fd, ".git", Links::kRefuse);
  if (!link || !link->starts_with(kGitdir)) return {};
  const std::string_view git_directory = first_line(*link).substr(kGitdir.size());
  // A worktree uses the rules of its repository.
  const auto common = read_small_file(directory_fd, concat(git_directory, "/commondir"), Links::kFollow);
  if (!common) return std::string(git_directory);
  return resolve_from(git_directory, first_line(*common));
}

}  // namespace helve::search
