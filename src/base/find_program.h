// Finds programs as a shell would, but never by a path that depends on where one stands.
#pragma once

#include <optional>
#include <string>

namespace helve {

// A file that we may run.
[[nodiscard]] bool is_program(const std::string& path);

// Looks a name up in PATH, of which only absolute entries count; an absolute path is taken when it can be
// run.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace helve
