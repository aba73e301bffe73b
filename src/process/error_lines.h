// Finds the error and warning lines of a long output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "process/output_log.h"

namespace helve::process {

enum class Severity { kNone, kWarning, kError };

// Classifies a line: "error:", "FAILED", "panic", "Traceback", "undefined reference", "npm ERR!", … are
// errors; "0 errors" is not.
[[nodiscard]] Severity severity_of(std::string_view line);

struct ErrorLine {
  std::uint64_t number = 0;  // counting from 1
  std::string text = {};     // cleaned and shortened
  Severity severity = Severity::kError;
  bool operator==(const ErrorLine&) const = default;
};

struct ErrorLineOptions {
  std::size_t most = 20;
  std::size_t longest_text = 300;
  std::chrono::milliseconds time = std::chrono::milliseconds(500);
};

struct ErrorLines {
  std::vector<ErrorLine> lines = {};  // in the order of the log
  std::uint64_t errors = 0;           // in all lines that were searched
  std::uint64_t warnings = 0;
  bool complete = true;  // false: the time limit came before the end
};

// Searches the bytes [from, to) of the log with bounded memory. If not all lines fit, errors take precedence
// over warnings, and the first lines over later ones, because they say the most.
[[nodiscard]] Expected<ErrorLines> find_error_lines(const OutputLog& log, std::uint64_t from,
                                                    std::uint64_t to, const ErrorLineOptions& options = {});

}  // namespace helve::process
