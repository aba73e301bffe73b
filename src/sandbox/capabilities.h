// Which of root's powers are left to a command.
#pragma once

#include <cstdint>

#include "helve/error.h"

namespace helve::sandbox {

// What root's package managers and build tools need on the files and processes that the walls leave them:
// CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID.
inline constexpr std::uint64_t kRootCapabilities = 0b1111'1011;

// Gives up every capability but `kept`, for this process and all that it will run.
[[nodiscard]] Expected<void> keep_capabilities(std::uint64_t kept);

// Whether this process may write maps of foreign users: CAP_SETUID and CAP_SETGID.
[[nodiscard]] bool may_map_all_users();

}  // namespace helve::sandbox
