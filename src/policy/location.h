// Where a path really leads, beside how it was written: rules are held against both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/lies_in.h"
#include "shell/command_line.h"

namespace helve::policy {

// What a decision needs to know about the machine. All paths are absolute and real; plain data.
struct Surroundings {
  std::string workspace = {};
  std::string home = {};                          // empty: `~` stands for nothing
  std::vector<std::string> own_directories = {};  // Helve's configuration and state; nobody writes there
  // Commands run in a sandbox that keeps what deny rules for paths spell out: doubts about those are settled
  // there.
  bool walled = false;
  std::string search_path = "/usr/bin:/bin";       // the PATH that commands get
  shell::Dialect dialect = shell::Dialect::kBash;  // of the shell that runs them
};

// Both absolute, without `.`, `..` and double slashes.
struct Location {
  std::string given = {};  // by the text alone
  std::string real = {};   // links followed as far as the path exists
  bool operator==(const Location&) const = default;
};

// `path` is taken from `directory` on unless it is absolute. Never fails: what cannot be followed stays as
// written.
[[nodiscard]] Location locate(std::string_view path, std::string_view directory);

// Why no tool may write there.
struct WriteProtection {
  std::string reason = {};  // empty: rules decide
  bool own = false;         // Helve's own: no rule and no mode changes that
};
[[nodiscard]] WriteProtection write_protection(const Location& location, const Surroundings& surroundings);

}  // namespace helve::policy
