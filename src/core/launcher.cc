// The public entry to the launcher.
#include "helve/launcher.h"

#include "process/launcher.h"

namespace helve {

std::optional<int> launch_if_asked(int argc, char** argv) {
  if (!process::launcher_requested(argc, argv)) return std::nullopt;
  return process::launcher_main();
}

}  // namespace helve
