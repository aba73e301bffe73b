// Everything the launcher has to know to start one command, and the sealed file in which it is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::process {

struct Launch {
  std::vector<std::string> argv = {};         // the program first, as an absolute path
  std::vector<std::string> environment = {};  // NAME=value
  std::string directory = {};                 // where it runs, absolute
  sandbox::Plan plan = {};
  std::vector<std::string> cgroups =
      {};                      // directories of groups that the command joins; launcher and init do not
  bool holds_network = false;  // no command: keeps a network for others to share, until Helve hangs up
  std::uint64_t usual_descriptors = 0;  // what Helve's own limit of open files was; 0: still is
  bool terminal = false;                // stdin is a terminal that becomes the command's own
};

// What the launcher finds at these descriptors.
inline constexpr int kPlanDescriptor = 3;     // the sealed file
inline constexpr int kControlDescriptor = 4;  // its end of the control socket, see launch_notes.h

// The longest argument that Linux hands to a program.
inline constexpr std::size_t kLongestArgument = (std::size_t{128} << 10) - 1;

[[nodiscard]] std::string encode_launch(const Launch& launch);
// Accepts exactly what encode_launch makes.
[[nodiscard]] Expected<Launch> decode_launch(std::string_view bytes);

// A file in memory that nobody can change any more. Refuses what could not be started anyway: arguments that
// are too long or contain a NUL.
[[nodiscard]] Expected<UniqueFd> seal_launch(const Launch& launch);
[[nodiscard]] Expected<Launch> read_sealed_launch(int fd);

}  // namespace helve::process
