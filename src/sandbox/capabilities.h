// The capabilities that a command keeps.
#pragma once

#include <cstdint>

#include "helve/error.h"

namespace helve::sandbox {

// Capabilities that package managers and build tools run by root need inside the sandbox: CHOWN,
// DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID.
inline constexpr std::uint64_t kRootCapabilities = 0b1111'1011;

// Drops every capability except `kept`, for this process and all programs it runs.
[[nodiscard]] Expected<void> keep_capabilities(std::uint64_t kept);

// Whether this process may map other users: CAP_SETUID and CAP_SETGID.
[[nodiscard]] bool may_map_all_users();

}  // namespace helve::sandbox
