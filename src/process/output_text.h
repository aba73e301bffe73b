// Turns bytes that programs write to terminals into plain text for a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::process {

// The text that a terminal would finally show, line by line:
//   escape sequences               are applied or removed
//   carriage return, backspace     move the cursor, so that a progress bar becomes its last state
//   malformed UTF-8                becomes U+FFFD
//   other control characters       become \xNN
// Lines are independent, so that a large output can be cleaned line by line.
[[nodiscard]] std::string clean_text(std::string_view bytes);

// Whether the bytes are binary instead of text: many NULs, or many bytes that are not UTF-8.
[[nodiscard]] bool looks_binary(std::string_view sample);

}  // namespace helve::process
