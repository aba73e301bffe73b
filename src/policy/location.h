// Resolves the paths in calls and commands. Rules are checked against a path as written and as resolved.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "shell/command_line.h"

namespace helve::policy {

// The facts about the machine that a decision depends on. All paths are absolute and resolved.
struct Surroundings {
  std::string workspace = {};
  std::string home = {};                          // empty: `~` is not expanded
  std::vector<std::string> own_directories = {};  // Helve's configuration and state; no tool may write there
  // Commands run in a sandbox that enforces deny rules for paths, so a possible match of one is not a reason
  // to ask.
  bool sandboxed = false;
  std::string search_path = "/usr/bin:/bin";       // the PATH that commands get
  std::vector<std::string> variables = {};         // that commands get besides those of this process
  shell::Dialect dialect = shell::Dialect::kBash;  // of the shell that runs them
  bool allows_catastrophes = false;                // see catastrophe.h
};

// Both absolute, without `.`, `..` and double slashes.
struct Location {
  std::string given = {};  // from the text alone
  std::string real = {};   // symlinks followed as far as the path exists
  bool operator==(const Location&) const = default;
};

// A relative `path` starts at `directory`. Never fails: components that cannot be resolved stay as written.
[[nodiscard]] Location locate(std::string_view path, std::string_view directory);

struct WriteProtection {
  std::string reason = {};  // why no tool may write there; empty: rules decide
  bool own = false;         // the path belongs to Helve: no rule and no mode allows writing it
};
[[nodiscard]] WriteProtection write_protection(const Location& location, const Surroundings& surroundings);

// The directories in which a command of a line may run. Any `cd` before it may or may not take effect
// (branches, subshells, failures), so every directory that was ever current stays possible.
class WorkingDirectories {
 public:
  WorkingDirectories(std::string start, const Surroundings& surroundings)
      : surroundings_(&surroundings), possible_{start}, latest_{std::move(start)} {}

  // Records a command that may change the directory.
  void follow(const shell::SimpleCommand& command);

  [[nodiscard]] std::span<const std::string> possible() const { return possible_; }
  // False when it can be any directory.
  [[nodiscard]] bool known() const { return known_; }
  // The locations that a word of a command may name as a path, with `~` expanded; empty when unknown.
  [[nodiscard]] std::vector<Location> locate_word(const shell::Word& word) const {
    return locate_from(possible_, word);
  }
  // True when the `cd` stays in the workspace, assuming the ones before it succeeded.
  [[nodiscard]] bool stays_inside(const shell::SimpleCommand& change) const;

 private:
  [[nodiscard]] std::vector<Location> locate_from(std::span<const std::string> directories,
                                                  const shell::Word& word) const;
  [[nodiscard]] std::vector<Location> targets(const shell::SimpleCommand& change,
                                              std::span<const std::string> directories) const;

  const Surroundings* surroundings_;  // never null; outlives this
  std::vector<std::string> possible_;
  std::vector<std::string> latest_;  // the targets of the last `cd`
  bool known_ = true;
};

// True for cd, chdir, pushd and popd.
[[nodiscard]] bool changes_directory(const shell::SimpleCommand& command);

}  // namespace helve::policy
