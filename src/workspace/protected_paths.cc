#include "workspace/protected_paths.h"

#include <algorithm>

#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve {
namespace {

constexpr std::string_view kStartUp = "a shell or login session runs it";

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
      {".helve", "Helve's own configuration lies there"},
      {"~/.config/helve", "Helve's own configuration lies there"},
      {"~/.local/state/helve", "Helve's own state lies there"},
      {"~/.local/share/helve", "Helve's own state lies there"},
      {"/.gitconfig", "git runs commands that it names"},
      {"~/.gitconfig", "git runs commands that it names"},
      {"~/.config/git", "git runs commands that it names"},
      {"~/.ssh", "it decides who may log in and what ssh runs"},
      {"~/.config/fish", std::string(kStartUp)},
      {"~/.config/autostart", "the desktop runs what it names"},
      {"~/.config/systemd", "systemd runs what it names"},
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
  for (const Ready& ready : rules_) {
    const bool covered = ready.anchored ? beneath(lower, ready.components).has_value()
                                        : !std::ranges::search(lower, ready.components).empty();
    if (covered) return &ready.rule;
  }
  return nullptr;
}

}  // namespace helve
