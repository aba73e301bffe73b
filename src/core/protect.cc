#include "core/protect.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/path_steps.h"
#include "base/strings.h"
#include "repository/git_safety.h"
#include "search/find.h"
#include "workspace/git_programs.h"
#include "workspace/path_check.h"
#include "workspace/protected_paths.h"

namespace helve::core {

namespace {

void protect_git_programs(sandbox::Plan& plan, const std::string& workspace,
                          std::span<const std::string> components) {
  for (const workspace::GitProgram& program : workspace::git_programs_around(workspace, components))
    plan.protected_paths.push_back(program.is_directory ? concat(program.path, "/") : program.path);
}

// Hides the other names of the files that are hidden.
Expected<void> hide_links(sandbox::Plan& plan, const workspace::Root& root) {
  const auto list = [&](std::string path) {
    search::FindQuery query{.globs = {"**"}, .path = std::move(path)};
    query.hidden = true;
    query.ignored = true;
    query.most_results = std::numeric_limits<std::size_t>::max();
    query.details = false;
    return search::find_files(root, query, [] { return false; });
  };
  std::set<std::pair<dev_t, ino_t>> linked;
  const auto note = [&](const std::string& path) {
    struct stat status{};
    const bool file = ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (file && status.st_nlink > 1) linked.emplace(status.st_dev, status.st_ino);
    return S_ISDIR(status.st_mode);
  };
  for (const std::string& path : plan.hidden) {
    if (!note(path) || !is_within(path, root.path()) || path == root.path()) continue;
    const auto found = list(path.substr(root.path().size() + 1));
    if (!found) return fail(found.error());
    for (const search::FoundEntry& entry : found->entries) note(concat(root.path(), "/", entry.path));
  }
  if (linked.empty()) return {};
  const auto all = list({});
  if (!all) return fail(all.error());
  for (const search::FoundEntry& entry : all->entries) {
    std::string path = concat(root.path(), "/", entry.path);
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0 && linked.contains({status.st_dev, status.st_ino}) &&
        std::ranges::none_of(plan.hidden, [&](const std::string& hidden) { return is_within(path, hidden); }))
      plan.hidden.push_back(std::move(path));
  }
  return {};
}

}  // namespace

void protect_settings(sandbox::Plan& plan, const std::string& workspace) {
  const std::string home = real_path(environment_variable("HOME")).value_or("");
  for (const workspace::ProtectedRule& rule : workspace::default_protected_rules()) {
    const std::string_view pattern = rule.pattern;
    if (pattern == ".git") continue;  // git itself must work; see protect_repositories()
    if (pattern.starts_with("~/")) {
      if (!home.empty() && is_within(home, workspace))
        plan.protected_paths.push_back(concat(home, pattern.substr(1)));
    } else if (pattern.starts_with('/')) {
      const std::string path = concat(workspace, pattern);
      if (path_exists(path)) plan.protected_paths.push_back(path);
    } else {
      // The slash says that a missing one would be a directory.
      plan.protected_paths.push_back(concat(workspace, "/", pattern, pattern.ends_with(".json") ? "" : "/"));
    }
  }
  // Of a repository that the workspace is in. protect_repositories() covers those in the workspace.
  protect_git_programs(plan, workspace, {});
}

void protect_programs(sandbox::Plan& plan, const std::vector<std::string>& programs) {
  const auto is_writable = [&](const std::string& place) {
    return is_within(place, plan.workspace) || std::ranges::any_of(plan.writable, [&](const auto& directory) {
             return is_within(place, directory);
           });
  };
  for (const std::string& program : programs)
    if (std::ranges::any_of(path_steps(program), is_writable)) plan.protected_paths.push_back(program);
}

void protect_repositories(sandbox::Plan& plan, const std::string& workspace,
                          const std::vector<repository::Found>& repositories) {
  using Kind = repository::Found::Kind;
  for (const repository::Found& found : repositories) {
    const std::string path = found.path.empty() ? workspace : concat(workspace, "/", found.path);
    if (found.kind == Kind::kPointer) {
      // A circular link leads nowhere and protects nothing.
      struct stat status{};
      if (::stat(path.c_str(), &status) == 0) plan.protected_paths.push_back(path);
      protect_git_programs(plan, workspace, workspace::split_path(found.path).components);
      continue;
    }
    repository::break_hard_links(path);
    if (path != workspace) plan.pinned.push_back(path);
    for (std::string& part : repository::executable_parts(path, workspace))
      plan.protected_paths.push_back(std::move(part));
  }
}

void pin_ancestors(sandbox::Plan& plan, const std::string& workspace, const std::vector<std::string>& paths) {
  // The directories of each symlink on the way, too: in another directory it could be another link.
  for (const std::string& path : paths)
    for (std::string at : path_steps(path))
      for (at.resize(at.rfind('/')); at.size() > workspace.size() && is_within(at, workspace);
           at.resize(at.rfind('/')))
        if (path_exists(at) && std::ranges::find(plan.pinned, at) == plan.pinned.end())
          plan.pinned.push_back(at);
}

Expected<void> hide_unreadable(sandbox::Plan& plan, const workspace::Root& root,
                               const policy::HiddenPaths& hidden) {
  for (const std::string& path : hidden.for_sandbox()) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0)
      plan.hidden.push_back(path);
    else if (errno != ENOENT && errno != ENOTDIR)
      return fail(ErrorCode::kPermissionDenied,
                  concat("A rule forbids to read ", path,
                         ", and it cannot be hidden from commands and plugins: ", errno_text(errno), "."),
                  "Make the directories above it accessible again.");
  }
  if (hidden.globs_for_sandbox().empty()) return hide_links(plan, root);
  constexpr std::size_t kMost = 1000;
  search::FindQuery query{.globs = hidden.globs_for_sandbox()};
  query.hidden = true;
  query.ignored = true;
  query.most_results = kMost;
  const auto found = search::find_files(root, query, [] { return false; });
  if (!found) return fail(found.error());
  if (found->total > kMost)
    return fail(ErrorCode::kUnavailable,
                concat("Rules forbid to read ", found->total,
                       " files here, more than can be hidden from commands and plugins."),
                "Name the directory that they lie in instead.");
  for (const search::FoundEntry& entry : found->entries)
    plan.hidden.push_back(concat(root.path(), "/", entry.path));
  return hide_links(plan, root);
}

}  // namespace helve::core
