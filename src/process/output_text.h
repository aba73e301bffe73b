// From the bytes that programs write to terminals to the text that a model reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::process {

// What a terminal would show in the end, line by line: escape sequences take effect or go, a carriage return
// or backspace is overwritten by what follows it (so that a progress bar becomes its last state), malformed
// UTF-8 becomes U+FFFD, and other control characters are shown as \xNN. Each line of `bytes` is for itself,
// so that lines of a large output can be cleaned one by one.
[[nodiscard]] std::string clean_text(std::string_view bytes);

// Whether the bytes are those of a binary format instead of text: many NULs, or much that is not UTF-8.
[[nodiscard]] bool looks_binary(std::string_view sample);

}  // namespace helve::process
