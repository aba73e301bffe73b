// The directories in which a command of a line may find itself, since `cd` can stand anywhere in front of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/location.h"
#include "shell/command_line.h"

namespace helve::policy {

// Whether a branch, a subshell or a failure lets a `cd` take effect is not asked: all directories that were
// ever current stay possible.
class WorkingDirectories {
 public:
  WorkingDirectories(std::string start, const Surroundings& surroundings)
      : surroundings_(&surroundings), possible_{start}, latest_{std::move(start)} {}

  // Takes notice of a command that may change the directory.
  void follow(const shell::SimpleCommand& command);

  [[nodiscard]] std::span<const std::string> possible() const { return possible_; }
  // False when it can be any directory.
  [[nodiscard]] bool known() const { return known_; }
  // Where a word of a command may lead as a path, with `~` put in; nothing when that cannot be told.
  [[nodiscard]] std::vector<Location> locate_word(const shell::Word& word) const {
    return locate_from(possible_, word);
  }
  // True when the `cd` leads to a place in the workspace if those before it succeeded.
  [[nodiscard]] bool stays_inside(const shell::SimpleCommand& change) const;

 private:
  [[nodiscard]] std::vector<Location> locate_from(std::span<const std::string> directories,
                                                  const shell::Word& word) const;
  [[nodiscard]] std::vector<Location> targets(const shell::SimpleCommand& change,
                                              std::span<const std::string> directories) const;

  const Surroundings* surroundings_;  // never null; outlives this
  std::vector<std::string> possible_;
  std::vector<std::string> latest_;  // where the last change leads
  bool known_ = true;
};

// True for cd, pushd and popd, also behind `command` and `builtin`.
[[nodiscard]] bool changes_directory(const shell::SimpleCommand& command);

}  // namespace helve::policy
