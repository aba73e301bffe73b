// An error as a model reads it.
#pragma once

#include <string>

#include "base/strings.h"
#include "helve/error.h"

namespace helve {

// "NOT_FOUND: No file notes.txt", and what to do next on a line of its own.
[[nodiscard]] inline std::string error_text(const Error& error) {
  std::string text = concat(to_string(error.code), ": ", error.message);
  if (!error.hint.empty()) text += concat("\n", error.hint);
  return text;
}

}  // namespace helve
