// Checks the text of a path without disk access, and creates the errors for refused paths.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::workspace {

// A SECURITY error of this kind.
[[nodiscard]] Error path_error(ErrorKind kind, std::string_view path, std::string message, std::string hint);

// For messages: control and invalid bytes are escaped, a very long path is shortened.
[[nodiscard]] std::string printable_path(std::string_view path);

// A path split at its slashes, without empty and `.` components.
struct PathText {
  bool absolute = false;
  bool names_directory = false;  // ended in `/` or `/.`, so it must be a directory
  std::vector<std::string> components;

  [[nodiscard]] bool has_parent_component() const;
  bool operator==(const PathText&) const = default;
};

[[nodiscard]] PathText split_path(std::string_view path);
// `.` for no components at all.
[[nodiscard]] std::string join_path(std::span<const std::string> components);

// True when a `..` leads above the start of the path.
[[nodiscard]] bool climbs_out(std::span<const std::string> components);
// Removes each `..` with the component before it. Drops those that lead above the start.
[[nodiscard]] std::vector<std::string> normalised(std::span<const std::string> components);
// The components after `prefix`; nullopt when the path is not below it. Compares whole components: /ws2 is
// not in /ws.
[[nodiscard]] std::optional<std::vector<std::string>> beneath(std::span<const std::string> components,
                                                              std::span<const std::string> prefix);

// INVALID_PATH for text that cannot be a path argument. Does not access the disk.
[[nodiscard]] Expected<void> check_path_text(std::string_view path);

}  // namespace helve::workspace
