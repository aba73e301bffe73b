#include "checkers/read_findings.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::checkers {

std::unexpected<Error> did_not_run(const CheckerSpec& spec, const ProgramOutput& output, std::string_view why,
                                   std::string_view hint) {
  // The explanation is on stderr or, if that is empty, on stdout.
  const std::string_view said = trim(trim(output.errors).empty() ? output.output : output.errors);
  std::string message = concat(spec.name, " ", why);
  if (!said.empty()) message += concat(":\n", shortened(to_valid_utf8(said), 2000));
  return fail(ErrorCode::kExecutionFailed, std::move(message), std::string(hint),
              JsonObject{{"state", "did-not-run"},
                         {"reason", "failed"},
                         {spec.purpose == Purpose::kFormat ? "formatter" : "linter", spec.name},
                         {"exitCode", output.exit_code}});
}

Expected<std::vector<Finding>> read_findings(const LintRun& run) {
  auto findings = [&]() -> Expected<std::vector<Finding>> {
    switch (run.spec.reader) {
      case Reader::kPylint: return read_pylint(run);
      case Reader::kFlake8: return read_flake8(run);
      case Reader::kEslint: return read_eslint(run);
      case Reader::kShellcheck: return read_shellcheck(run);
      case Reader::kClangTidy: return read_clang_tidy(run);
      case Reader::kCppcheck: return read_cppcheck(run);
      case Reader::kText: break;
    }
    return fail(ErrorCode::kExecutionFailed, concat(run.spec.name, " is not a linter."));
  }();
  if (!findings) return findings;
  const auto order = [&](const Finding& finding) {
    return std::tuple(finding.path != run.subject.path, std::string_view(finding.path), finding.extent.line,
                      finding.extent.column);
  };
  std::ranges::stable_sort(*findings, {}, order);
  return findings;
}

Expected<std::string> read_formatted(const CheckerSpec& spec, const Subject& subject, std::string_view input,
                                     ProgramOutput output) {
  // Exit codes when the text does not parse: black 123, prettier and gofmt 2, the others 1. black still
  // prints the unchanged text.
  if (output.exit_code != 0)
    return did_not_run(spec, {.exit_code = output.exit_code, .errors = output.errors},
                       concat("could not format ", subject.path, "; the file is unchanged"),
                       "Fix the reported errors, then try again.");
  if (trim(output.output).empty() && !trim(input).empty())
    return did_not_run(spec, output, concat("returned no text for ", subject.path, "; the file is unchanged"),
                       "Check its configuration.");
  return std::move(output.output);
}

}  // namespace helve::checkers
