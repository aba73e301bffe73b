// Which file a program's name stands for right now, told apart from any later one of the same name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/decide.h"

namespace helve::policy {

// Resolved path, device, inode, size and times of the file that would run; empty when there is none (a
// builtin, or nothing at all). Names with a slash are taken from `directory` on, others are looked up in the
// search path.
[[nodiscard]] std::string identify_program(std::string_view name, std::string_view directory,
                                           std::string_view search_path);
// The same for a file that a program was given; empty when it is no regular file.
[[nodiscard]] std::string identify_file(std::string_view path, std::string_view directory);

// Everything that a command line is known to start: its programs, and the files that interpreters are given
// to run. Sorted, without repetitions.
[[nodiscard]] std::vector<std::string> identities_of(const shell::CommandLine& line,
                                                     std::string_view directory,
                                                     std::string_view search_path);

}  // namespace helve::policy
