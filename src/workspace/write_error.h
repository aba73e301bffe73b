// Why a change to the disk failed, in words that tell a full disk from a missing right.
#pragma once

#include <string_view>

#include "helve/error.h"

namespace helve {

// What errors call the files of the history.
inline constexpr std::string_view kHistoryShown = "the history (in Helve's state directory)";

// `action` completes "Cannot … PATH": "write", "remove", "create the directory".
[[nodiscard]] Error write_error(std::string_view action, std::string_view path, int error_number);

}  // namespace helve
