// Chooses the formatter or linter for a file, finds its program and builds its command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkers/checker_table.h"
#include "helve/error.h"

namespace helve::checkers {

// The file to check.
struct Subject {
  std::string workspace;                 // symlinks resolved
  std::string path;                      // relative to the workspace
  std::string language = {};             // an id of text/language.h
  std::string virtual_environment = {};  // VIRTUAL_ENV; empty when there is none

  [[nodiscard]] std::string absolute_path() const;
  // The directories above the file, nearest first, up to the file system root.
  [[nodiscard]] std::vector<std::string> directories() const;
};

struct Chosen {
  const CheckerSpec* spec = nullptr;
  std::string program = {};  // absolute
  // Why it would run project code; empty when it would not.
  std::string project_code = {};
  std::vector<std::string> notes = {};  // for the caller
};

// `wanted` is a name from the table; empty or "auto": the checker that the project is configured for, else
// the first installed one. A configured checker is never replaced by one that is not configured. Searches
// node_modules/.bin and virtual environments from the file up to the workspace, then VIRTUAL_ENV, then PATH.
//   INVALID_ARGUMENT  there is no checker for the language, or none of that name
//   UNAVAILABLE       it is not installed; details.install says how to install it
[[nodiscard]] Expected<Chosen> choose_checker(Purpose purpose, std::string_view wanted,
                                              const Subject& subject);

struct SignSeen {
  bool seen = false;
  std::string file = {};  // absolute; empty for a sign that is always present
};
// Whether a file counts as a sign when it may contain the words in a hidden form: it is very long, or has
// letters written as escapes.
enum class Doubtful { kIsNoSign, kIsSign };
// Searches the directories of the file for one of the signs.
[[nodiscard]] SignSeen look_for(std::span<const Sign> signs, const Subject& subject, Doubtful doubtful);

// The first `most` bytes of a regular file; empty for anything else.
[[nodiscard]] std::string read_beginning(const std::string& path, std::size_t most);

struct CheckerCommand {
  std::vector<std::string> arguments = {};  // the program first, as an absolute path
  std::string directory = {};               // working directory, relative to the workspace
  std::vector<std::string> notes = {};      // for the caller
  bool guesses_flags = false;               // the compiler's flags are unknown
};
[[nodiscard]] CheckerCommand make_command(const Chosen& chosen, const Subject& subject);

}  // namespace helve::checkers
