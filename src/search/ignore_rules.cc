#include "search/ignore_rules.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::search {
namespace {

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

// The user's git configuration.
struct UserRules {
  std::string home;
  std::string file;  // core.excludesFile
  LetterCase letters = LetterCase::kDiffers;
  std::shared_ptr<const RuleList> rules = {};  // null if the path of the file is relative to each repository
};

class IgnoreLevel {
 public:
  IgnoreLevelPtr outer;
  std::size_t prefix = 0;  // length of the directory's absolute path including a trailing `/`
  RuleList rgignore = {};
  RuleList ignore = {};
  RuleList gitignore = {};
  RuleList exclude = {};
  bool starts_repository = false;  // outer directories belong to another repository
  bool in_repository = false;
  bool has_rules = false;  // here or in an outer level
  // Of the repository that the directory belongs to: the rules of core.excludesFile, and the length of the
  // absolute path of its top directory including a trailing `/`.
  std::shared_ptr<const RuleList> user_rules = {};
  std::size_t repository_prefix = 0;
  LetterCase letters = LetterCase::kDiffers;   // of the repository's rules for git
  std::shared_ptr<const UserRules> user = {};  // set by the outermost level and shared by all levels
};

namespace {

bool exists(int directory_fd, const char* name) {
  struct stat status{};
  return ::fstatat(directory_fd, name, &status, 0) == 0;
}

// Parent directories are probed, not listed: they may be large.
IgnoreFilesSeen probe(int directory_fd) {
  return {.rgignore = exists(directory_fd, ".rgignore"),
          .ignore = exists(directory_fd, ".ignore"),
          .gitignore = exists(directory_fd, ".gitignore"),
          .git = exists(directory_fd, ".git"),
          .jj = exists(directory_fd, ".jj")};
}

std::shared_ptr<const RuleList> read_rules(int directory_fd, const std::string& path, LetterCase letters) {
  if (path.empty()) return nullptr;
  RuleList rules = read_ignore_file(directory_fd, path, Links::kFollow, letters);
  return rules.empty() ? nullptr : std::make_shared<const RuleList>(std::move(rules));
}

// Reads what git's own files say for a repository that begins here.
void read_repository_rules(IgnoreLevel& level, int directory_fd) {
  const UserRules& user = *level.user;
  level.user_rules = user.rules;
  level.letters = user.letters;
  const std::string git = git_directory_of(directory_fd);
  if (git.empty()) return;
  const auto config = read_small_file(directory_fd, concat(git, "/config"), Links::kFollow);
  const IgnoreSettings own = config ? ignore_settings_in(*config, user.home) : IgnoreSettings{};
  level.letters = own.letters.value_or(user.letters);
  level.exclude = read_ignore_file(directory_fd, concat(git, "/info/exclude"), Links::kFollow, level.letters);
  if (own.excludes_file || user.rules == nullptr || level.letters != user.letters)
    level.user_rules = read_rules(directory_fd, own.excludes_file.value_or(user.file), level.letters);
}

}  // namespace

void IgnoreFilesSeen::note(std::string_view name) {
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

IgnoreLevelPtr ignore_rules_above(std::string_view directory, const IgnoreEnvironment& environment) {
  IgnoreSettings settings = ignore_settings_of_user(environment);
  auto user = std::make_shared<UserRules>(environment.home, std::move(settings.excludes_file).value_or(""),
                                          settings.letters.value_or(LetterCase::kDiffers));
  if (user->file.starts_with('/')) user->rules = read_rules(AT_FDCWD, user->file, user->letters);
  auto outermost = std::make_shared<IgnoreLevel>();
  outermost->user = std::move(user);
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
  level->repository_prefix = outer->repository_prefix;
  level->letters = outer->letters;
  level->user = outer->user;
  level->starts_repository =
      (seen.git && exists(directory_fd, ".git")) || (seen.jj && exists(directory_fd, ".jj"));
  level->in_repository = outer->in_repository || level->starts_repository;
  if (seen.rgignore) level->rgignore = read_ignore_file(directory_fd, ".rgignore", Links::kRefuse);
  if (seen.ignore) level->ignore = read_ignore_file(directory_fd, ".ignore", Links::kRefuse);
  if (level->starts_repository) {
    level->repository_prefix = level->prefix;
    read_repository_rules(*level, directory_fd);
  }
  // A .gitignore outside of a repository has no effect, even on repositories below it.
  if (seen.gitignore && level->in_repository)
    level->gitignore = read_ignore_file(directory_fd, ".gitignore", Links::kRefuse, level->letters);
  const bool adds_rules = !level->rgignore.empty() || !level->ignore.empty() || !level->gitignore.empty() ||
                          !level->exclude.empty();
  if (!adds_rules && !level->starts_repository) return outer;
  level->has_rules = adds_rules || outer->has_rules || (level->in_repository && level->user_rules != nullptr);
  return level;
}

bool has_rules(const IgnoreLevel* level) { return level != nullptr && level->has_rules; }

Verdict judge(const IgnoreLevel* level, const Candidate& candidate) {
  if (level == nullptr) return Verdict::kNone;
  // .rgignore beats .ignore, then .gitignore, then exclude files. Within a kind, the innermost file decides.
  Verdict ignore = Verdict::kNone;
  Verdict gitignore = Verdict::kNone;
  Verdict exclude = Verdict::kNone;
  const bool asks_user_rules = level->in_repository && level->user_rules != nullptr;
  const RuleList* user_rules = level->user_rules.get();
  const std::size_t repository_prefix = level->repository_prefix;
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
  return asks_user_rules ? user_rules->judge(candidate.without_prefix(repository_prefix)) : Verdict::kNone;
}

IgnoreLookup::IgnoreLookup(const workspace::Root& root, IgnoreEnvironment environment)
    : root_(root), environment_(std::move(environment)) {}

const IgnoreLevelPtr& IgnoreLookup::rules_inside(std::string_view directory) {
  if (const auto known = levels_.find(directory); known != levels_.end()) return known->second;
  const IgnoreLevelPtr outer =
      directory.empty() ? ignore_rules_above(root_.path(), environment_) : rules_inside(parent_of(directory));
  IgnoreLevelPtr inside = outer;
  if (const auto opened = root_.open_directory(directory.empty() ? "." : directory)) {
    IgnoreFilesSeen seen;
    for (const char* name : {".rgignore", ".ignore", ".gitignore", ".git", ".jj"}) {
      if (::faccessat(opened->fd.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) seen.note(name);
    }
    const std::string path = directory.empty() ? root_.path() : concat(root_.path(), "/", directory);
    inside = ignore_rules_inside(outer, opened->fd.get(), path, seen);
  }
  return levels_.emplace(directory, std::move(inside)).first->second;
}

bool IgnoreLookup::excludes(std::string_view path, bool is_directory) {
  const std::string absolute = concat(root_.path(), "/", path);
  const Candidate candidate(absolute, is_directory);
  if (candidate.name == ".git") return true;
  const Verdict verdict = judge(rules_inside(parent_of(path)).get(), candidate);
  if (verdict == Verdict::kNone) return candidate.name.starts_with('.');
  return verdict == Verdict::kSkip;
}

}  // namespace helve::search
