// Writes content that lies in several pieces, whole, with few system calls.
#pragma once

#include <span>
#include <string_view>

namespace helve {

// From the start of the file. Returns 0 or the error number.
[[nodiscard]] int write_pieces(int fd, std::span<const std::string_view> pieces);

}  // namespace helve
