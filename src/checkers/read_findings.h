// Parses the output of formatters and linters, and distinguishes "found nothing" from "did not run".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkers/find_checker.h"
#include "checkers/finding.h"
#include "helve/error.h"

namespace helve::checkers {

struct LintRun {
  const CheckerSpec& spec;
  const Subject& subject;
  std::string_view text = {};  // the checked text, as UTF-8
  const ProgramOutput& output;
  bool guesses_flags = false;  // see CheckerCommand
};

// Sorted by position. EXECUTION_FAILED with details.state "did-not-run" when the linter did not check the
// file, whatever its exit code.
[[nodiscard]] Expected<std::vector<Finding>> read_findings(const LintRun& run);

// The error for a formatter or linter that did not do its work; includes its output.
[[nodiscard]] std::unexpected<Error> did_not_run(const CheckerSpec& spec, const ProgramOutput& output,
                                                 std::string_view why, std::string_view hint);

// Readers for the individual linters.
[[nodiscard]] Expected<std::vector<Finding>> read_pylint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_flake8(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_eslint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_shellcheck(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_clang_tidy(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_cppcheck(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_ruff(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_biome(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_oxlint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_deno_lint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_rubocop(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_golangci_lint(const LintRun& run);
[[nodiscard]] Expected<std::vector<Finding>> read_ktlint(const LintRun& run);

// Returns the formatted text. `input` is the text before. EXECUTION_FAILED with details.state "did-not-run"
// when the result is not usable; the file must then stay unchanged.
[[nodiscard]] Expected<std::string> read_formatted(const CheckerSpec& spec, const Subject& subject,
                                                   std::string_view input, ProgramOutput output);

}  // namespace helve::checkers
