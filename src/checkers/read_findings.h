// Reads what linters print into findings, and tells "found nothing" from "did not run".
#pragma once

#include <string_view>
#include <vector>

#include "checkers/find_checker.h"
#include "checkers/finding.h"
#include "helve/error.h"

namespace helve::checkers {

struct LintRun {
  const CheckerSpec& spec;
  const Subject& subject;
  std::string_view text = {};  // what was checked, as UTF-8
  const ProgramOutput& output;
  bool guesses_flags = false;  // see CheckerCommand
};

// In the order of the file. EXECUTION_FAILED when the linter did not check the file, whatever its exit code
// says: details.state is "did-not-run".
[[nodiscard]] Expected<std::vector<Finding>> read_findings(const LintRun& run);

// That a formatter or linter did not do its work, with its own words.
[[nodiscard]] std::unexpected<Error> did_not_run(const CheckerSpec& spec, const ProgramOutput& output,
                                                 std::string_view why, std::string_view hint);

// The readers of single linters.
[[nodiscard]] Expected<std::vector<Finding>> read_pylint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_flake8(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_eslint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_shellcheck(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_clang_tidy(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_cppcheck(const LintRun& run);

}  // namespace helve::checkers
