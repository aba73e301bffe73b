// Whose process listens on a port of this machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace helve::model {

// The user who listens for IPv4 connections to 127.0.0.1 on that port; nothing when the kernel does not say.
[[nodiscard]] std::optional<uid_t> listener_owner(std::uint16_t port);
// The same from the text of /proc/net/tcp or tcp6.
[[nodiscard]] std::optional<uid_t> listener_owner_in(std::string_view table, std::uint16_t port);

// This user, root, or an account of the system, such as the one that runs Ollama.
[[nodiscard]] bool is_trusted_owner(uid_t owner);

}  // namespace helve::model
