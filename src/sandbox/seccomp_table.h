// The system calls that are refused, and those whose arguments are checked.
#pragma once

#include <cstdint>
#include <span>

namespace helve::sandbox {

enum class SeccompRule {
  kForbid,           // EPERM
  kUnknown,          // ENOSYS: programs then fall back to an older call that can be checked
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

// Unordered; every number occurs once.
[[nodiscard]] std::span<const SeccompEntry> seccomp_table();

}  // namespace helve::sandbox
