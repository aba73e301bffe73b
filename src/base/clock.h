// Time stamps and unguessable identifiers.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

// 2026-11-15T03:42:07.123Z
[[nodiscard]] std::string utc_timestamp(
    std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

// prefix + "_" + `letters` random letters and digits, at most 32, with 5 bits each from the kernel's
// generator.
[[nodiscard]] std::string random_id(std::string_view prefix, std::size_t letters = 16);

}  // namespace helve
