// Keeps two processes of Helve from changing the same files of ours at once, each without what the other
// wrote.
#pragma once

#include <string>

#include "base/file_io.h"

namespace helve {

// Held until the descriptor is closed. Waits some seconds for whoever has it; UNAVAILABLE after that.
[[nodiscard]] Expected<UniqueFd> lock_directory(const std::string& path);

}  // namespace helve
