// Finds the files that a simple command names, and whether its program reads or writes them.
#pragma once

#include <string>
#include <vector>

#include "policy/command_words.h"

namespace helve::policy {

struct CommandPath {
  enum class Access {
    kReads,      // or lists
    kReadsTree,  // reads everything below
    kWrites,
    kPerhaps,  // an argument of an unknown program
  };
  shell::Word word = {};
  Access access = Access::kReads;
  bool operator==(const CommandPath&) const = default;
};

// `reading` is one of readings_of(): the program has a bare name. Ignores redirections.
[[nodiscard]] std::vector<CommandPath> paths_of_command(const Words& reading);

}  // namespace helve::policy
