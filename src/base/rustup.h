// Sees through the programs that rustup puts into PATH.
#pragma once

#include <optional>
#include <string>

namespace helve {

// rustup installs one program for each tool of Rust. It starts the tool of a toolchain, and fails if no
// toolchain has it. Returns the tool itself, of the default toolchain if that has it; nothing if no toolchain
// has it. Other programs are returned as they are.
[[nodiscard]] std::optional<std::string> behind_rustup(const std::string& program);

}  // namespace helve
