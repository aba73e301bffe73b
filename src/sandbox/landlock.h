// The second wall around files, which holds by itself where mounts fail: what may be written, by directory.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

// The kernel's version of it; 0 when it is not there or switched off.
[[nodiscard]] int landlock_version();

// What may be written, for plans with and without the mounts of build_view().
struct LandlockPlaces {
  std::vector<std::string> directories = {};  // everything below can be changed
  std::vector<std::string> openings = {};     // files and directories whose files can be opened for writing
};
[[nodiscard]] LandlockPlaces landlock_places(const Plan& plan, const Missing& missing);

// Needs no_new_privs. Reading stays as it is; signals and abstract sockets end at the wall (version 6), TCP
// does where the plan has no network and the machine no network namespace (version 4).
[[nodiscard]] Expected<void> enforce_landlock(const Plan& plan, const Missing& missing);

}  // namespace helve::sandbox
