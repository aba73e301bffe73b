// Which formatter or linter a file gets, where its program is, and whether that would run code of the
// project.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkers/checker_spec.h"
#include "helve/error.h"

namespace helve::checkers {

// The file that is to be checked.
struct Subject {
  std::string workspace;                 // a real path
  std::string path;                      // relative to the workspace
  std::string language = {};             // an id of workspace/language.h
  std::string virtual_environment = {};  // VIRTUAL_ENV; empty when there is none

  [[nodiscard]] std::string absolute_path() const;
  // Those above the file, the nearest first, up to the root of the disk.
  [[nodiscard]] std::vector<std::string> directories() const;
};

struct Chosen {
  const CheckerSpec* spec = nullptr;
  std::string program = {};  // absolute
  // Why running it would run code that came with the project; empty when it would not.
  std::string project_code = {};
  std::vector<std::string> notes = {};  // for the caller
};

// `wanted` is a name of the table; empty: what the project is configured for, else the first that is
// installed. Programs are looked for in node_modules/.bin and in virtual environments from the file up to the
// workspace, in VIRTUAL_ENV, then in PATH.
//   INVALID_ARGUMENT  there is none for the language, or none of that name
//   UNAVAILABLE       it is not installed; details.install says how to get it
[[nodiscard]] Expected<Chosen> choose_checker(Purpose purpose, std::string_view wanted,
                                              const Subject& subject);

// Whether one of the signs can be seen from the file.
struct SignSeen {
  bool seen = false;
  std::string file = {};  // absolute; empty for a sign that is always there
};
// What a file counts as in which words may hide: it is very long, or has letters spelled as escapes.
enum class Doubtful { kIsNoSign, kIsSign };
[[nodiscard]] SignSeen look_for(std::span<const Sign> signs, const Subject& subject, Doubtful doubtful);

// The beginning of a regular file, at most `most` bytes; nothing for what is none.
[[nodiscard]] std::string read_beginning(const std::string& path, std::size_t most);

}  // namespace helve::checkers
