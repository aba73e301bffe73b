// Finds programs in PATH as a shell does, but ignores relative paths.
#pragma once

#include <optional>
#include <string>

namespace helve {

// True for an executable regular file.
[[nodiscard]] bool is_program(const std::string& path);

// Looks up a name in the absolute entries of PATH. An absolute path is returned as it is if it is executable.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace helve
