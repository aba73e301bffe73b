#include "workspace/protected_paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/path_check.h"
#include "workspace/root_walk.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kStartUp = "a shell or login session runs it";

constexpr std::string_view kStartsServers = "Helve starts the servers listed there, outside of the sandbox";
constexpr std::string_view kAllowsCalls = "Helve can take permission rules from it";

constexpr std::string_view kStartUpFiles[] = {
    ".bashrc",  ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
    ".profile", ".zshrc",        ".zprofile",   ".zshenv",      ".zlogin",
    ".zlogout", ".kshrc",        ".cshrc",      ".tcshrc",      ".login",
    ".inputrc", ".xprofile",     ".xinitrc",    ".xsession",    ".pam_environment",
};

}  // namespace

std::vector<ProtectedRule> default_protected_rules() {
  std::vector<ProtectedRule> rules{
      {".git", "git keeps its history, settings and hooks there"},
      {".helve", "Helve's configuration is stored there"},
      {".mcp.json", std::string(kStartsServers)},
      {".vscode/mcp.json", std::string(kStartsServers)},
      {".claude/settings.json", std::string(kAllowsCalls)},
      {".claude/settings.local.json", std::string(kAllowsCalls)},
      {".claude/skills", std::string(kAllowsCalls)},
      {".agents/skills", std::string(kAllowsCalls)},
      {"~/.config/helve", "Helve's configuration is stored there"},
      {"~/.local/state/helve", "Helve's state is stored there"},
      {"~/.local/share/helve", "Helve's state is stored there"},
      {"/.gitconfig", "git runs commands configured there"},
      {"~/.gitconfig", "git runs commands configured there"},
      {"~/.config/git", "git runs commands configured there"},
      {"~/.ssh", "it decides who may log in and what ssh runs"},
      {"~/.config/fish", std::string(kStartUp)},
      {"~/.config/autostart", "the desktop runs the programs listed there"},
      {"~/.config/systemd", "systemd runs the programs listed there"},
      {"~/.config/environment.d", "every login session takes its environment from it"},
  };
  for (const std::string_view name : kStartUpFiles) {
    rules.push_back({concat("/", name), std::string(kStartUp)});
    rules.push_back({concat("~/", name), std::string(kStartUp)});
  }
  return rules;
}

ProtectedPaths::ProtectedPaths(std::span<const ProtectedRule> rules,
                               const std::optional<std::vector<std::string>>& home) {
  for (const ProtectedRule& rule : rules) {
    PathText text = split_path(to_lower(rule.pattern));
    if (text.components.empty()) continue;
    bool anchored = text.absolute;
    if (text.components.front() == "~") {
      if (!home) continue;
      text.components.erase(text.components.begin());
      std::vector<std::string> prefix;
      for (const std::string& component : *home) prefix.push_back(to_lower(component));
      text.components.insert(text.components.begin(), prefix.begin(), prefix.end());
      anchored = true;
    }
    rules_.push_back({rule, anchored, std::move(text.components)});
  }
}

const ProtectedRule* ProtectedPaths::find(std::span<const std::string> components) const {
  std::vector<std::string> lower;
  lower.reserve(components.size());
  for (const std::string& component : components) lower.push_back(to_lower(component));
  for (const PreparedRule& prepared : rules_) {
    const bool covered = prepared.anchored ? beneath(lower, prepared.components).has_value()
                                           : !std::ranges::search(lower, prepared.components).empty();
    if (covered) return &prepared.rule;
  }
  return nullptr;
}

namespace {

using Names = std::span<const std::string_view>;

// Parts that make git run programs or read settings from elsewhere.
constexpr std::string_view kExecutingParts[] = {"hooks", "config", "config.worktree", "commondir"};
// Any of these makes a directory with a HEAD a repository. Git requires more, but some may be elsewhere.
constexpr std::string_view kRepositoryParts[] = {"objects", "refs", "commondir"};

bool is_among(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool has_any(int directory, Names names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    struct stat status{};
    return ::fstatat(directory, std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  });
}

}  // namespace

bool has_git_head(int directory_fd) {
  char start[8] = {};
  const UniqueFd head(::openat(directory_fd, "HEAD", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!head) return errno == ELOOP || errno == EACCES;
  const ssize_t got = ::read(head.get(), start, sizeof start);
  const std::string_view text(start, got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.starts_with("ref:") ||
         (text.size() == sizeof start &&
          text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos);
}

std::optional<ProtectedRule> find_git_protection(int base, std::span<const std::string> components) {
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string name = to_lower(components[i]);  // some file systems ignore case
    const bool is_executing = is_among(kExecutingParts, name);
    const bool is_repository_part = is_among(kRepositoryParts, name);
    const bool is_head = name == "head" && i + 1 == components.size();
    if (!is_executing && !is_repository_part && !is_head) continue;
    const UniqueFd directory(
        open_plain(base, join_path(components.first(i)), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return {};  // it does not exist, so nothing below it does either
    const bool has_head = has_git_head(directory.get());
    if (!has_head && !is_head) continue;
    const bool has_repository_part = has_any(directory.get(), kRepositoryParts);
    if (has_head && has_repository_part && is_executing)
      return ProtectedRule{"bare repository",
                           "git runs the hooks and commands configured in this repository"};
    if ((has_head && has_repository_part) || (!has_repository_part && !is_repository_part)) continue;
    if (name == "commondir" || has_any(directory.get(), kExecutingParts))
      return ProtectedRule{
          "bare repository",
          "it would turn its directory into a git repository, and git would run the hooks and commands "
          "configured there"};
  }
  return {};
}

Error protected_error(std::string_view path, const ProtectedRule& rule) {
  return {.code = ErrorCode::kPermissionDenied,
          .message = concat(printable_path(path), " is protected: ", rule.reason,
                            ". It is read-only for all tools."),
          .hint = "Ask the user to make this change.",
          .details = JsonObject{{"path", printable_path(path)}, {"rule", rule.pattern}},
          .kind = ErrorKind::kProtectedPath};
}

Error read_only_error(std::string_view path) {
  return path_error(ErrorKind::kOutsideBaseDir, path,
                    concat(printable_path(path), " is outside of the workspace and read-only."),
                    "Write to a path inside the workspace.");
}

}  // namespace helve::workspace
