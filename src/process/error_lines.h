// Finds the lines of a long output that say what went wrong.
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

// What a line looks like: "error:", "FAILED", "panic", "Traceback", "undefined reference", "npm ERR!", … are
// errors. "0 errors" is nothing.
[[nodiscard]] Severity severity_of(std::string_view line);

struct ErrorLine {
  std::uint64_t number = 0;  // counting from 1
  std::string text = {};     // cleaned and cut
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
  std::uint64_t errors = 0;           // how many there are in all of what was looked at
  std::uint64_t warnings = 0;
  bool complete = true;  // false: the time was over before the end
};

// Looks through the bytes [from, to) of the log with bounded memory. Errors come before warnings when not all
// fit, and the first ones before the last, which say the most.
[[nodiscard]] Expected<ErrorLines> find_error_lines(const OutputLog& log, std::uint64_t from,
                                                    std::uint64_t to, const ErrorLineOptions& options = {});

}  // namespace helve::process
