#include "workspace/git_programs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "workspace/git_config.h"
#include "workspace/git_environment.h"
#include "workspace/path_check.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
constexpr int kDeepestInclude = 10;  // as in git
constexpr std::size_t kMostFiles = 100;
constexpr std::size_t kMostPlaces = 16;

// The last part of settings whose value is a command.
constexpr std::string_view kCommandKeys[] = {"fsmonitor",
                                             "sshcommand",
                                             "editor",
                                             "pager",
                                             "command",
                                             "clean",
                                             "smudge",
                                             "process",
                                             "driver",
                                             "helper",
                                             "program",
                                             "cmd",
                                             "path",
                                             "textconv",
                                             "external",
                                             "askpass",
                                             "gitproxy",
                                             "receivepack",
                                             "uploadpack",
                                             "update",
                                             "difffilter",
                                             "packobjectshook",
                                             "alternaterefscommand",
                                             "defaultkeycommand",
                                             "smtpserver",
                                             "sendmailcmd",
                                             "tocmd",
                                             "cccmd",
                                             "headercmd"};

bool is_regular(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  return concat(environment_variable("HOME"), path.substr(1));
}

std::string absolute(const fs::path& path, const fs::path& base) {
  std::string normal = (path.is_absolute() ? path : base / path).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

bool is_command(const GitSetting& setting) {
  return setting.section == "alias" || setting.section == "pager" || setting.value.starts_with('!') ||
         std::ranges::find(kCommandKeys, setting.key) != std::end(kCommandKeys);
}

class Collector {
 public:
  explicit Collector(const std::string& within) : within_(within) {}

  // Reads a settings file and all that it includes.
  void read(const std::string& file, int depth = 0) {
    if (depth > kDeepestInclude || seen_.size() >= kMostFiles || !is_regular(file) ||
        !seen_.insert(file).second)
      return;
    const auto text = read_file(file, kLargestConfig);
    if (!text) return;
    for (GitSetting& setting : parse_git_config(*text).settings) {
      if (setting.value.empty()) continue;
      const bool is_include =
          (setting.section == "include" || setting.section == "includeif") && setting.key == "path";
      if (!is_include) {
        take(std::move(setting));
        continue;
      }
      // Whether an includeIf applies can change, so every one counts.
      const std::string included = absolute(expand_home(setting.value), fs::path(file).parent_path());
      add(included, false, setting);
      read(included, depth + 1);
    }
  }
  void take(GitSetting setting) { settings_.push_back(std::move(setting)); }

  // Where the settings put the working tree, from the git directory.
  [[nodiscard]] std::vector<std::string> working_trees(const std::string& git_directory) const {
    std::vector<std::string> trees;
    for (const GitSetting& setting : settings_)
      if (setting.section == "core" && setting.key == "worktree")
        trees.push_back(absolute(setting.value, git_directory));
    return trees;
  }

  // Relative paths start at a working tree.
  std::vector<GitProgram> find(const std::vector<std::string>& trees) {
    for (const std::string& tree : trees)
      for (const GitSetting& setting : settings_) {
        if (setting.section == "core" && setting.key == "hookspath")
          add_hooks(setting, tree);
        else if (setting.section == "init" && setting.key == "templatedir")
          add(absolute(expand_home(setting.value), tree), true, setting);  // with hooks for new repositories
        else if (setting.section == "core" && setting.key == "attributesfile")
          add(absolute(expand_home(setting.value), tree), false, setting);
        else if (!is_harmless(setting))
          add_words(setting, tree);
      }
    return std::move(found_);
  }

 private:
  void add_hooks(const GitSetting& setting, const std::string& tree) {
    std::string path = absolute(expand_home(setting.value), tree);
    // Hooks of husky in .husky/_ run the scripts beside that directory.
    if (path.ends_with("/_")) path.resize(path.size() - 2);
    add(path, true, setting);
  }

  // Words of a command that are paths. Commands run at the top of the working tree.
  void add_words(const GitSetting& setting, const std::string& tree) {
    const bool runs = is_command(setting);
    std::vector<std::string> words{setting.value};
    for (const std::string& word :
         shell_words(setting.value.substr(setting.value.starts_with('!') ? 1 : 0))) {
      words.push_back(word);
      if (const std::size_t equals = word.find('='); equals != std::string::npos)
        words.push_back(word.substr(equals + 1));
    }
    // A command can change the directory: `cd tools && ./x`.
    std::vector<std::string> places{tree};
    for (std::size_t i = 0; runs && i < places.size() && places.size() < kMostPlaces; ++i)
      for (const std::string& word : words) {
        const std::string path = absolute(expand_home(word), places[i]);
        if (is_directory(path) && std::ranges::find(places, path) == places.end()) places.push_back(path);
      }
    for (const std::string& word : words) {
      if (word.empty() || word.contains(':')) continue;  // an address, not a path
      for (const std::string& place : places) {
        const std::string path = absolute(expand_home(word), place);
        const bool could_be_made =
            runs && word.contains('/') && word.find_first_of("% \t\n$") == std::string::npos;
        if (is_regular(path) || could_be_made) add(path, false, setting);
      }
    }
  }

  void add(const std::string& path, bool is_directory, const GitSetting& setting) {
    std::vector<std::string> places{path};
    std::error_code error;
    // Through symlinks, as far as the path exists.
    if (const fs::path real = fs::weakly_canonical(path, error); !error)
      places.push_back(absolute(real, "/"));
    for (const std::string& place : places) {
      if (!is_within(place, within_) || place == within_) continue;
      GitProgram program{place, is_directory, setting.name()};
      if (std::ranges::find(found_, program) == found_.end()) found_.push_back(std::move(program));
    }
  }

  const std::string within_;
  std::set<std::string> seen_;
  std::vector<GitSetting> settings_;
  std::vector<GitProgram> found_;
};

// Of the user and of the system, as git finds them.
std::vector<std::string> common_settings() {
  std::vector<std::string> files;
  if (environment_variable("GIT_CONFIG_NOSYSTEM").empty()) {
    const std::string system = environment_variable("GIT_CONFIG_SYSTEM");
    files.push_back(system.empty() ? "/etc/gitconfig" : system);
  }
  if (const std::string global = environment_variable("GIT_CONFIG_GLOBAL"); !global.empty()) {
    files.push_back(global);
    return files;
  }
  const std::string home = environment_variable("HOME");
  const std::string config = environment_variable("XDG_CONFIG_HOME");
  if (!config.empty()) files.push_back(concat(config, "/git/config"));
  if (home.empty()) return files;
  if (config.empty()) files.push_back(concat(home, "/.config/git/config"));
  files.push_back(concat(home, "/.gitconfig"));
  return files;
}

// The directory that a `.git` file names; the path itself if it is a directory.
std::string git_directory_of(const std::string& dot_git) {
  if (!is_regular(dot_git)) return dot_git;
  constexpr std::string_view kPointer = "gitdir:";
  const auto text = read_file(dot_git, 4096);
  if (!text || !text->starts_with(kPointer)) return dot_git;
  const fs::path target(std::string(trim(std::string_view(*text).substr(kPointer.size()))));
  const fs::path whole = target.is_absolute() ? target : fs::path(dot_git).parent_path() / target;
  return whole.lexically_normal().string();
}

}  // namespace

std::vector<GitProgram> git_programs(const std::string& working_tree, const std::string& git_directory,
                                     const std::string& within) {
  Collector collector(within);
  for (GitSetting& setting : git_settings_of_environment()) collector.take(std::move(setting));
  for (const std::string& file : common_settings()) collector.read(file);
  std::vector<std::string> directories{git_directory};
  // A worktree takes the settings of the repository that it belongs to.
  if (const auto common = read_file(concat(git_directory, "/commondir"), 4096)) {
    const fs::path target{std::string(trim(*common))};
    directories.push_back(
        (target.is_absolute() ? target : fs::path(git_directory) / target).lexically_normal().string());
  }
  for (const std::string& directory : directories)
    for (const char* name : {"config", "config.worktree"}) collector.read(concat(directory, "/", name));
  std::vector<std::string> trees = collector.working_trees(git_directory);
  trees.insert(trees.begin(), working_tree);
  return collector.find(trees);
}

std::vector<GitProgram> git_programs_around(const std::string& root, std::span<const std::string> components,
                                            std::span<const std::string> nested) {
  std::vector<GitProgram> all;
  std::set<std::string> seen;
  const auto look = [&](const std::string& directory, const std::string& git) {
    if (!path_exists(git) || !seen.insert(git).second) return;
    for (GitProgram& program : git_programs(directory, git_directory_of(git), root))
      if (std::ranges::find(all, program) == all.end()) all.push_back(std::move(program));
  };
  const auto look_in = [&](const std::string& directory) {
    look(directory, concat(directory == "/" ? "" : directory, "/.git"));
  };
  for (fs::path above = fs::path(root).parent_path();; above = above.parent_path()) {
    look_in(above.string());
    if (!above.has_relative_path()) break;
  }
  std::string directory = root;
  look_in(directory);
  for (std::size_t i = 0; i + 1 < components.size(); ++i) {
    directory += concat("/", components[i]);
    struct stat status{};
    if (::lstat(directory.c_str(), &status) != 0) break;
    look_in(directory);
  }
  for (const std::string& git : nested) {
    const fs::path path(git);
    look(to_lower(path.filename().string()) == ".git" ? path.parent_path().string() : git, git);
  }
  return all;
}

std::optional<ProtectedRule> find_git_program(const std::string& root,
                                              std::span<const std::string> components,
                                              std::span<const std::string> nested) {
  const std::string path = to_lower(concat(root == "/" ? "" : root, "/", join_path(components)));
  for (const GitProgram& program : git_programs_around(root, components, nested)) {
    const std::string place = to_lower(program.path);  // some file systems ignore case
    if (path == place || (program.is_directory && is_within(path, place)))
      return ProtectedRule{program.setting,
                           concat("git runs it or takes settings from it (", program.setting, ")")};
  }
  return {};
}

}  // namespace helve::workspace
