// Time stamps and unguessable identifiers.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace helve {

// 2026-11-15T03:42:07.123Z
[[nodiscard]] std::string utc_timestamp(
    std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

// prefix + "_" + 80 random bits in lower-case letters and digits, from the kernel's generator.
[[nodiscard]] std::string random_id(std::string_view prefix);

}  // namespace helve
