// Formats an error for a model.
#pragma once

#include <string>

#include "base/strings.h"
#include "helve/error.h"

namespace helve {

// "NOT_FOUND: No file notes.txt", followed by the hint on its own line.
[[nodiscard]] inline std::string error_text(const Error& error) {
  std::string text = concat(to_string(error.code), ": ", error.message);
  if (!error.hint.empty()) text += concat("\n", error.hint);
  return text;
}

}  // namespace helve
