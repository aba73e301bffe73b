// The state of the sandbox, as Runtime::sandbox() reports it (helve/runtime.h).
#pragma once

#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/settings/sandbox.h"

namespace HELVE_API helve {

// The sandbox of commands that start now.
struct SandboxStatus {
  SandboxLevel level = SandboxLevel::kOff;
  bool network = false;                   // commands may use the network
  std::vector<std::string> missing = {};  // parts that this machine lacks; empty when the level is off
};

}  // namespace helve
