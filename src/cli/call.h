// Makes one call for a person or script and prints the answer.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/shell.h"

namespace helve::cli {

// For people or as the envelope; without what the person has seen live. Returns the exit code.
int print_answer(const Shell& shell, const Answer& answer, bool shown_live = false);

// How the person made the call: `helve call exec` tells whether the call was answered, `helve exec` is as
// good as the command itself and ends with its exit code.
enum class CallForm { kCall, kTool };

// Ctrl-C cancels the call. Returns the exit code.
[[nodiscard]] int make_call(const Shell& shell, std::string tool, Json arguments, CallForm form);

// What helve call and helve explain take.
struct CallOptions {
  std::string tool;
  std::string arguments = "{}";

  void describe(ParamSpec& p) {
    p.required("tool", tool, "The tool's name; helve tools lists them.", {.min_length = 1});
    p.optional("arguments", arguments, "JSON object, @FILE, or - for stdin.");
  }
};
inline constexpr auto kCallPositionals = std::to_array<std::string_view>({"tool", "arguments"});

// JSON text as given on the command line: itself, @FILE, or - for stdin.
[[nodiscard]] Expected<std::string> text_of_arguments(const std::string& given);

}  // namespace helve::cli
