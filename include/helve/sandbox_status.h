// The state of the sandbox, as Runtime::sandbox() reports it.
//
//   #include <helve/runtime.h>
//   #include <iostream>
//   bool is_protected(const helve::Runtime& runtime) {
//     const helve::SandboxStatus status = runtime.sandbox();
//     for (const std::string& part : status.missing) std::cout << "The sandbox lacks " << part << ".\n";
//     return status.level != helve::SandboxLevel::kOff && status.missing.empty();
//   }
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
