#include "workspace/git_programs.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/git_config.h"
#include "workspace/path_check.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = std::size_t{1} << 20;
constexpr int kDeepestInclude = 10;  // as in git
constexpr std::size_t kMostFiles = 100;

// The last part of settings whose value is a command.
constexpr std::string_view kCommandKeys[] = {
    "fsmonitor", "sshcommand", "editor",   "pager",       "command",   "clean", "smudge",
    "process",   "driver",     "helper",   "program",     "cmd",       "path",  "textconv",
    "external",  "askpass",    "gitproxy", "receivepack", "uploadpack"};

bool is_regular(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  return concat(environment_variable("HOME"), path.substr(1));
}

class Collector {
 public:
  Collector(const std::string& working_tree, const std::string& within)
      : working_tree_(working_tree), within_(within) {}

  // Reads a settings file and all that it includes.
  void read(const std::string& file, int depth = 0) {
    if (depth > kDeepestInclude || seen_.size() >= kMostFiles || !is_regular(file) ||
        !seen_.insert(file).second)
      return;
    const auto text = read_file(file, kLargestConfig);
    if (!text) return;
    for (const GitSetting& setting : parse_git_config(*text).settings) {
      if (setting.value.empty()) continue;
      const bool is_include =
          (setting.section == "include" || setting.section == "includeif") && setting.key == "path";
      if (is_include) {
        // Whether an includeIf applies can change, so every one counts.
        const std::string included = absolute(expand_home(setting.value), fs::path(file).parent_path());
        add(included, false, setting);
        read(included, depth + 1);
      } else if (setting.section == "core" && setting.key == "hookspath") {
        add_hooks(setting);
      } else if (!is_harmless(setting)) {
        add_words(setting);
      }
    }
  }

  std::vector<GitProgram> take() { return std::move(found_); }

 private:
  static std::string absolute(const fs::path& path, const fs::path& base) {
    std::string normal = (path.is_absolute() ? path : base / path).lexically_normal().string();
    while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
    return normal;
  }

  void add_hooks(const GitSetting& setting) {
    std::string path = absolute(expand_home(setting.value), working_tree_);
    // Hooks of husky in .husky/_ run the scripts beside that directory.
    if (path.ends_with("/_")) path.resize(path.size() - 2);
    add(path, true, setting);
  }

  // Words of a command that are paths. Commands run at the top of the working tree.
  void add_words(const GitSetting& setting) {
    const bool is_command =
        std::ranges::find(kCommandKeys, setting.key) != std::end(kCommandKeys) || setting.section == "alias";
    std::string value = setting.value;
    for (char& c : value)
      if (std::string_view("\"'`;|&()<>=!\t\n").contains(c)) c = ' ';
    for (const std::string_view word : split(value, ' ')) {
      if (word.empty() || word.contains(':')) continue;  // an address, not a path
      const std::string path = absolute(expand_home(std::string(word)), working_tree_);
      if (is_regular(path) || (is_command && word.contains('/') && !word.contains('%')))
        add(path, false, setting);
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

  const std::string working_tree_;
  const std::string within_;
  std::set<std::string> seen_;
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
  Collector collector(working_tree, within);
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
  return collector.take();
}

std::vector<GitProgram> git_programs_around(const std::string& root,
                                            std::span<const std::string> components) {
  std::vector<GitProgram> all;
  const auto look = [&](const std::string& directory) {
    const std::string dot_git = concat(directory == "/" ? "" : directory, "/.git");
    if (!path_exists(dot_git)) return;
    for (GitProgram& program : git_programs(directory, git_directory_of(dot_git), root))
      if (std::ranges::find(all, program) == all.end()) all.push_back(std::move(program));
  };
  for (fs::path above = fs::path(root).parent_path();; above = above.parent_path()) {
    look(above.string());
    if (!above.has_relative_path()) break;
  }
  std::string directory = root;
  look(directory);
  for (std::size_t i = 0; i + 1 < components.size(); ++i) {
    directory += concat("/", components[i]);
    struct stat status{};
    if (::lstat(directory.c_str(), &status) != 0) break;
    look(directory);
  }
  return all;
}

std::optional<ProtectedRule> find_git_program(const std::string& root,
                                              std::span<const std::string> components) {
  const std::string path = to_lower(concat(root == "/" ? "" : root, "/", join_path(components)));
  for (const GitProgram& program : git_programs_around(root, components)) {
    const std::string place = to_lower(program.path);  // some file systems ignore case
    if (path == place || (program.is_directory && is_within(path, place)))
      return ProtectedRule{program.setting,
                           concat("git runs it or takes settings from it (", program.setting, ")")};
  }
  return {};
}

}  // namespace helve::workspace
