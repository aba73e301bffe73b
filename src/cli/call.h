// Makes one call for a user or script and prints the answer.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "app/invocation.h"

namespace helve::cli {

// Prints text or the JSON envelope; `shown_live` output is not repeated. Returns the exit code.
int print_answer(const app::Invocation& shell, const Answer& answer, bool shown_live = false);

// `helve call exec` exits with the outcome of the call, `helve exec` with the exit code of the command.
enum class CallForm { kCall, kTool };

// Ctrl-C cancels the call. Returns the exit code.
[[nodiscard]] int make_call(const app::Invocation& shell, std::string tool, Json arguments, CallForm form);

// The options of helve call and helve explain.
struct CallOptions {
  std::string tool;
  std::string arguments = "{}";

  void describe(ParamSpec& p) {
    p.required("tool", tool, "The tool's name; helve tools lists them.", {.min_length = 1});
    p.optional("arguments", arguments, "JSON object, @FILE, or - for stdin.");
  }
};
inline constexpr auto kCallPositionals = std::to_array<std::string_view>({"tool", "arguments"});

// The JSON text of a command-line argument: itself, @FILE, or - for stdin.
[[nodiscard]] Expected<std::string> text_of_arguments(const std::string& given);

// Parses the arguments of helve call and helve explain. Invalid JSON is an error with `example` as its hint.
[[nodiscard]] Expected<Json> json_arguments(const std::string& given, std::string_view example);

}  // namespace helve::cli
