// Why a change to the disk failed, in words that tell a full disk from a missing right.
#pragma once

#include <string_view>

#include "helve/error.h"

namespace helve {

// `action` completes "Cannot … PATH": "write", "remove", "create the directory".
[[nodiscard]] Error write_error(std::string_view action, std::string_view path, int error_number);

}  // namespace helve
