// Checks on the text of a path before the kernel is asked, and the errors that refuse one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve {

// details.kind of a SECURITY error.
enum class PathFault {
  kTraversal,  // `..` leads out of the workspace
  kOutside,    // an absolute path outside
  kSymlink,    // a symbolic link that leads out, loops or is not allowed
  kInvalid,    // no path at all: empty, NUL bytes, too long
};

// PATH_TRAVERSAL, OUTSIDE_BASE_DIR, SYMLINK_NOT_ALLOWED, INVALID_PATH
[[nodiscard]] std::string_view to_string(PathFault fault);

[[nodiscard]] Error path_error(PathFault fault, std::string_view path, std::string message, std::string hint);

// Fit for a message: control and invalid bytes escaped, a very long path shortened.
[[nodiscard]] std::string printable_path(std::string_view path);

// A path cut at its slashes, without the empty and `.` components.
struct PathText {
  bool absolute = false;
  bool names_directory = false;  // ended in `/` or `/.`, so nothing but a directory will do
  std::vector<std::string> components;

  [[nodiscard]] bool has_parent_component() const;
  bool operator==(const PathText&) const = default;
};

[[nodiscard]] PathText split_path(std::string_view path);
// `.` for no components at all.
[[nodiscard]] std::string join_path(std::span<const std::string> components);

// True when some `..` climbs above the place where the path starts.
[[nodiscard]] bool climbs_out(std::span<const std::string> components);
// Each `..` taken together with the component before it; those that climb out are dropped.
[[nodiscard]] std::vector<std::string> normalised(std::span<const std::string> components);
// What follows `prefix`; nothing when the path lies elsewhere. Whole components: /ws2 is not in /ws.
[[nodiscard]] std::optional<std::vector<std::string>> beneath(std::span<const std::string> components,
                                                              std::span<const std::string> prefix);

// The quick check: refuses with INVALID_PATH what can be no path argument. Asks nothing of the disk.
[[nodiscard]] Expected<void> check_path_text(std::string_view path);

}  // namespace helve
