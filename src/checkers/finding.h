// What a linter found, in one shape for all linters; and what formatters and linters leave behind.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"

namespace helve::checkers {

enum class Severity { kError, kWarning, kInformation, kHint };
[[nodiscard]] std::string_view to_string(Severity severity);

// Lines count from 1, columns in characters from 1; an end is behind the last character. 0: not told.
struct Extent {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t end_line = 0;
  std::size_t end_column = 0;

  bool operator==(const Extent&) const = default;
};

// Text to put in place of what is there.
struct FixEdit {
  Extent extent = {};
  std::string new_text = {};
};

struct Finding {
  std::string path = {};  // relative to the workspace; as the linter says when it lies outside
  Extent extent = {};
  Severity severity = Severity::kWarning;
  std::string code = {};    // of the rule; may be empty
  std::string source = {};  // the linter
  std::string message = {};
  std::vector<FixEdit> fix = {};  // empty: it offers none
};
// {path, line, column, endLine, endColumn, severity, code, source, message, fix}; null for what is not told.
[[nodiscard]] Json to_json(const Finding& finding);

// How a program ended and what it wrote.
struct ProgramOutput {
  int exit_code = 0;
  std::string output = {};
  std::string errors = {};
};

}  // namespace helve::checkers
