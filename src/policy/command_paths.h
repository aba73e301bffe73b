// The files that a simple command names, as far as its program is known to read or write what it is given.
#pragma once

#include <string>
#include <vector>

#include "policy/command_view.h"

namespace helve::policy {

struct CommandPath {
  enum class Access {
    kReads,      // or lists
    kReadsTree,  // and the contents of everything beneath
    kWrites,
    kPerhaps,  // an argument of a program about which nothing is known
  };
  shell::Word word = {};
  Access access = Access::kReads;
  bool operator==(const CommandPath&) const = default;
};

// `reading` is one of readings_of(): the program's name is bare. Redirections are not looked at.
[[nodiscard]] std::vector<CommandPath> paths_of_command(const Words& reading);

}  // namespace helve::policy
