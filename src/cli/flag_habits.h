// What is called otherwise here, and fingers know: flags of grep, ripgrep, find, ls, sed and compilers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helve/params.h"

namespace helve::cli {

struct HabitAnswer {
  std::string text;        // "write --file-pattern"
  bool has_value = false;  // the next word belongs to it
};

// What to write instead of an unknown flag, for a command or tool with these parameters. Letters may come
// together (-rn) or with a number (-A3).
[[nodiscard]] std::optional<HabitAnswer> answer_to_habit(const ParamType& options, std::string_view flag);

}  // namespace helve::cli
