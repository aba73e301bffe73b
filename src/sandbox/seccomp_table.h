// The system calls that a command is refused, and those whose arguments are looked at.
#pragma once

#include <cstdint>
#include <span>

namespace helve::sandbox {

enum class SeccompRule {
  kForbid,           // EPERM
  kUnknown,          // ENOSYS: programs then take the older way that can be judged
  kCloneFlags,       // no new namespaces
  kUnshareFlags,     // the same for unshare
  kNodeModeSecond,   // no device nodes; the mode is the second argument
  kNodeModeThird,    // the third
  kTerminalControl,  // no typing into terminals
  kPersonality,
  kSocketFamily,
};

struct SeccompEntry {
  std::uint32_t number;
  SeccompRule rule;
};

// In no order; every number once.
[[nodiscard]] std::span<const SeccompEntry> seccomp_table();

}  // namespace helve::sandbox
