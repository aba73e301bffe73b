// Restricts writing with Landlock. It is a second barrier, and the only one where mounts are not available.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

// The kernel's Landlock ABI version; 0 when it is missing or disabled.
[[nodiscard]] int landlock_version();

// Writable paths, for plans with and without the mounts of build_view().
struct LandlockPlaces {
  std::vector<std::string> directories = {};  // everything below is writable
  std::vector<std::string> openings = {};     // existing files in them can be opened for writing
};
[[nodiscard]] LandlockPlaces landlock_places(const Plan& plan, const Missing& missing);

// Needs no_new_privs. Reading is not restricted. Signals and abstract sockets cannot leave the sandbox
// (version 6). TCP is blocked if the plan has no network and network namespaces are missing (version 4).
[[nodiscard]] Expected<void> enforce_landlock(const Plan& plan, const Missing& missing);

}  // namespace helve::sandbox
