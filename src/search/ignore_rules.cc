#include "search/ignore_rules.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "search/git_settings.h"
#include "search/ignore_file.h"

namespace helve::search {

class IgnoreLevel {
 public:
  IgnoreLevelPtr outer;
  std::size_t prefix = 0;  // bytes of the directory's absolute path with a `/` at its end
  RuleList rgignore = {};
  RuleList ignore = {};
  RuleList gitignore = {};
  RuleList exclude = {};
  bool starts_repository = false;  // what is further out belongs to another repository
  bool in_repository = false;
  bool has_rules = false;  // here or further out
  // Of the outermost level, shared by all.
  std::shared_ptr<const RuleList> user_rules = {};
  std::size_t workspace_prefix = 0;
};

namespace {

bool exists(int directory_fd, const char* name) {
  struct stat status{};
  return ::fstatat(directory_fd, name, &status, 0) == 0;
}

// Parents are not listed, since they may be large and are none of our business.
IgnoreFilesSeen probe(int directory_fd) {
  return {.rgignore = exists(directory_fd, ".rgignore"),
          .ignore = exists(directory_fd, ".ignore"),
          .gitignore = exists(directory_fd, ".gitignore"),
          .git = exists(directory_fd, ".git"),
          .jj = exists(directory_fd, ".jj")};
}

std::shared_ptr<const RuleList> read_user_rules(const IgnoreEnvironment& environment,
                                                std::string_view workspace_root) {
  const std::string path = excludes_file_of_user(environment, workspace_root);
  if (path.empty()) return nullptr;
  RuleList rules = read_ignore_file(AT_FDCWD, path);
  return rules.empty() ? nullptr : std::make_shared<const RuleList>(std::move(rules));
}

}  // namespace

void IgnoreFilesSeen::see(std::string_view name) {
  if (name == ".gitignore")
    gitignore = true;
  else if (name == ".git")
    git = true;
  else if (name == ".ignore")
    ignore = true;
  else if (name == ".rgignore")
    rgignore = true;
  else if (name == ".jj")
    jj = true;
}

IgnoreLevelPtr ignore_rules_above(std::string_view directory, std::string_view workspace_root,
                                  const IgnoreEnvironment& environment) {
  auto outermost = std::make_shared<IgnoreLevel>();
  outermost->user_rules = read_user_rules(environment, workspace_root);
  outermost->workspace_prefix = workspace_root.size() + (workspace_root.ends_with('/') ? 0 : 1);
  IgnoreLevelPtr level = std::move(outermost);
  for (std::size_t slash = 0; slash < directory.size() && directory.size() > 1;
       slash = directory.find('/', slash + 1)) {
    const std::string parent(slash == 0 ? "/" : directory.substr(0, slash));
    const UniqueFd fd(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd) level = ignore_rules_inside(level, fd.get(), slash == 0 ? "" : parent, probe(fd.get()));
  }
  return level;
}

IgnoreLevelPtr ignore_rules_inside(const IgnoreLevelPtr& outer, int directory_fd, std::string_view path,
                                   const IgnoreFilesSeen& seen) {
  if (!seen.any()) return outer;
  auto level = std::make_shared<IgnoreLevel>();
  level->outer = outer;
  level->prefix = path.size() + 1;
  level->user_rules = outer->user_rules;
  level->workspace_prefix = outer->workspace_prefix;
  level->starts_repository =
      (seen.git && exists(directory_fd, ".git")) || (seen.jj && exists(directory_fd, ".jj"));
  level->in_repository = outer->in_repository || level->starts_repository;
  if (seen.rgignore) level->rgignore = read_ignore_file(directory_fd, ".rgignore");
  if (seen.ignore) level->ignore = read_ignore_file(directory_fd, ".ignore");
  // Outside of every repository a .gitignore means nothing, to repositories further in as well.
  if (seen.gitignore && level->in_repository) level->gitignore = read_ignore_file(directory_fd, ".gitignore");
  if (seen.git && level->starts_repository)
    if (const std::string exclude = exclude_file_of_repository(directory_fd); !exclude.empty())
      level->exclude = read_ignore_file(directory_fd, exclude);
  const bool adds_rules = !level->rgignore.empty() || !level->ignore.empty() || !level->gitignore.empty() ||
                          !level->exclude.empty();
  if (!adds_rules && !level->starts_repository) return outer;
  level->has_rules = adds_rules || outer->has_rules || (level->in_repository && level->user_rules != nullptr);
  return level;
}

bool has_rules(const IgnoreLevel* level) { return level != nullptr && level->has_rules; }

Verdict judge(const IgnoreLevel* level, const Candidate& candidate) {
  if (level == nullptr) return Verdict::kNone;
  // A kind of file decides before the next kind has a say, and within a kind the innermost one.
  Verdict ignore = Verdict::kNone;
  Verdict gitignore = Verdict::kNone;
  Verdict exclude = Verdict::kNone;
  const bool asks_user_rules = level->in_repository && level->user_rules != nullptr;
  const RuleList* user_rules = level->user_rules.get();
  const std::size_t workspace_prefix = level->workspace_prefix;
  bool asks_git = level->in_repository;
  for (; level != nullptr; level = level->outer.get()) {
    const Candidate seen = candidate.without_prefix(level->prefix);
    if (!level->rgignore.empty())
      if (const Verdict verdict = level->rgignore.judge(seen); verdict != Verdict::kNone) return verdict;
    if (ignore == Verdict::kNone && !level->ignore.empty()) ignore = level->ignore.judge(seen);
    if (asks_git && gitignore == Verdict::kNone && !level->gitignore.empty())
      gitignore = level->gitignore.judge(seen);
    if (asks_git && exclude == Verdict::kNone && !level->exclude.empty())
      exclude = level->exclude.judge(seen);
    if (level->starts_repository) asks_git = false;
  }
  for (const Verdict verdict : {ignore, gitignore, exclude})
    if (verdict != Verdict::kNone) return verdict;
  // Read-only roots may lie outside of the workspace.
  if (!asks_user_rules || candidate.path.size() < workspace_prefix) return Verdict::kNone;
  return user_rules->judge(candidate.without_prefix(workspace_prefix));
}

}  // namespace helve::search
