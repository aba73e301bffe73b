// Translates commands in a container with mounted directories of this machine into commands on them.
#pragma once

#include <string>
#include <vector>

#include "policy/line_values.h"

namespace helve::policy {

struct HostCommands {
  std::vector<Fields> commands = {};
  std::vector<std::string> texts = {};  // for a shell
};

// For `docker run -v /:/x image rm -rf /x`: `rm -rf /` among others, since where the command begins is not
// known. Paths that belong to the container are replaced by harmless ones. Empty without a mount, a device or
// `--privileged`.
[[nodiscard]] HostCommands commands_on_host(const Fields& words);

}  // namespace helve::policy
