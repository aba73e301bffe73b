#include "repository/armed_parts.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/strings.h"

namespace helve::repository {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kArmed{"hooks", "config", "config.worktree", "commondir"};
constexpr int kDeepest = 8;
constexpr std::size_t kMost = 2000;

void add_parts(const fs::path& git_directory, int depth, std::vector<std::string>& parts) {
  for (const std::string_view name : kArmed) {
    // Only worktrees have one, and only there it means something.
    std::error_code ignored;
    if (name == "commondir" && !fs::exists(git_directory / name, ignored)) continue;
    parts.push_back((git_directory / name).string());
  }
  if (depth == kDeepest) return;
  for (const std::string_view inner : {"modules", "worktrees"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(git_directory / inner, error), end; !error && it != end;
         it.increment(error)) {
      if (parts.size() > kMost || it.depth() > kDeepest) return;
      std::error_code ignored;
      if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
      if (!fs::exists(it->path() / "HEAD", ignored)) continue;
      it.disable_recursion_pending();
      add_parts(it->path(), depth + 1, parts);
    }
  }
}

struct Harmless {
  std::string_view section;
  std::string_view key;  // "*": every key of the section
};

constexpr Harmless kHarmless[] = {
    {"core", "repositoryformatversion"},
    {"core", "filemode"},
    {"core", "bare"},
    {"core", "logallrefupdates"},
    {"core", "ignorecase"},
    {"core", "precomposeunicode"},
    {"core", "symlinks"},
    {"core", "autocrlf"},
    {"core", "safecrlf"},
    {"core", "eol"},
    {"core", "quotepath"},
    {"core", "longpaths"},
    {"core", "abbrev"},
    {"core", "sparsecheckout"},
    {"core", "sparsecheckoutcone"},
    {"core", "untrackedcache"},
    {"user", "name"},
    {"user", "email"},
    {"author", "*"},
    {"committer", "*"},
    {"remote", "url"},
    {"remote", "pushurl"},
    {"remote", "fetch"},
    {"remote", "push"},
    {"remote", "prune"},
    {"remote", "mirror"},
    {"remote", "tagopt"},
    {"remote", "promisor"},
    {"remote", "partialclonefilter"},
    {"branch", "remote"},
    {"branch", "merge"},
    {"branch", "rebase"},
    {"branch", "pushremote"},
    {"branch", "description"},
    {"branch", "autosetuprebase"},
    {"branch", "autosetupmerge"},
    {"submodule", "url"},
    {"submodule", "active"},
    {"submodule", "branch"},
    {"submodule", "path"},
    {"init", "defaultbranch"},
    {"pull", "rebase"},
    {"pull", "ff"},
    {"push", "default"},
    {"push", "autosetupremote"},
    {"fetch", "prune"},
    {"merge", "conflictstyle"},
    {"merge", "ff"},
    {"rebase", "autostash"},
    {"rebase", "autosquash"},
    {"rerere", "enabled"},
    {"commit", "gpgsign"},
    {"tag", "gpgsign"},
    {"advice", "*"},
    {"color", "*"},
    {"extensions", "*"},
    {"gc", "auto"},
    {"index", "version"},
    {"status", "*"},
};

bool is_harmless(std::string_view section, std::string_view key, std::string_view value) {
  // "ext::sh -c …" and other helpers are programs by another name.
  if (key.ends_with("url") && value.find("::") != std::string_view::npos) return false;
  if (value.starts_with('!') || value.starts_with("\"!")) return false;
  return std::ranges::any_of(kHarmless, [&](const Harmless& harmless) {
    return harmless.section == section && (harmless.key == "*" || harmless.key == key);
  });
}

}  // namespace

std::vector<std::string> armed_parts(const std::string& git_directory) {
  std::vector<std::string> parts;
  add_parts(git_directory, 0, parts);
  return parts;
}

std::string harmless_settings(std::string_view configuration, std::vector<std::string>& dropped) {
  std::string kept;
  std::string section;      // in lower case, without its subsection
  std::string header;       // as written
  std::string last_header;  // the one that `kept` is in
  while (!configuration.empty()) {
    const std::size_t end = std::min(configuration.find('\n'), configuration.size() - 1);
    std::string_view line = trim(configuration.substr(0, end + 1));
    configuration.remove_prefix(end + 1);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      const std::size_t close = line.rfind(']');
      if (close == std::string_view::npos) {
        dropped.emplace_back(line);
        section.clear();
        continue;
      }
      header = std::string(line.substr(0, close + 1));
      const std::string_view inside = line.substr(1, close - 1);
      section = to_lower(trim(inside.substr(0, inside.find_first_of(" \t\"."))));
      line = trim(line.substr(close + 1));  // git allows a setting on the same line
      if (line.empty()) continue;
    }
    const std::size_t equals = line.find('=');
    const std::string key = to_lower(trim(line.substr(0, equals)));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : trim(line.substr(equals + 1));
    // A value that goes on in the next line is not worth understanding.
    if (!is_harmless(section, key, value) || line.ends_with('\\')) {
      dropped.push_back(concat(section, ".", key));
      continue;
    }
    if (header != last_header) kept += concat(header, "\n");
    last_header = header;
    kept += concat("\t", line, "\n");
  }
  return kept;
}

}  // namespace helve::repository
