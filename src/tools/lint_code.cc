// Checks a file with the linter that fits its language, and reports what it finds in one shape.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "checkers/read_findings.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/check_file.h"
#include "workspace/path_check.h"

namespace helve::tools {
namespace {

constexpr std::size_t kMostFindings = 200;

std::string line_of(const checkers::Finding& finding) {
  std::string place = workspace::printable_path(finding.path);
  if (finding.extent.line > 0) place += concat(":", finding.extent.line);
  if (finding.extent.line > 0 && finding.extent.column > 0) place += concat(":", finding.extent.column);
  const std::string code = finding.code.empty() ? std::string() : concat(" (", finding.code, ")");
  return concat(place, ": ", to_string(finding.severity), ": ",
                replace_all(to_valid_utf8(finding.message), "\n", "\n  "), code,
                finding.fix.empty() ? "" : " [can be fixed]", "\n");
}

Output report(const toolkit::CheckedFile& file, const toolkit::CheckRun& run,
              const std::vector<checkers::Finding>& findings) {
  using checkers::Severity;
  const std::string_view linter = run.chosen.spec->name;
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(std::ranges::count(findings, severity, &checkers::Finding::severity));
  };
  const std::size_t errors = count(Severity::kError);
  const std::size_t warnings = count(Severity::kWarning);
  const std::size_t shown = std::min(findings.size(), kMostFindings);
  Output output;
  JsonArray list;
  output.content = run.notes();
  for (const checkers::Finding& finding : std::span(findings).first(shown)) {
    list.push_back(to_json(finding));
    output.content += line_of(finding);
  }
  output.truncated = shown < findings.size();
  if (output.truncated) output.content += concat("… and ", findings.size() - shown, " more.\n");
  if (findings.empty()) output.content += concat(linter, " finds nothing to complain about.\n");
  output.summary = findings.empty()
                       ? concat(workspace::printable_path(file.subject.path), " is clean, says ", linter)
                       : concat(linter, ": ", count_of(errors, "error"), ", ", count_of(warnings, "warning"),
                                " and ", count_of(findings.size() - errors - warnings, "remark"), " in ",
                                workspace::printable_path(file.subject.path));
  output.data = JsonObject{{"state", findings.empty() ? "clean" : "findings"},
                           {"path", to_valid_utf8(file.subject.path)},
                           {"linter", linter},
                           {"program", run.chosen.program},
                           {"diagnostics", std::move(list)},
                           {"total", findings.size()},
                           {"errors", errors},
                           {"warnings", warnings}};
  return output;
}

}  // namespace

struct LintCode {
  static constexpr std::string_view kDescription =
      "Check a file with the project's linter: ruff, pylint, flake8, eslint, biome, clang-tidy, cppcheck, "
      "shellcheck, …\n"
      "Uses the project's configuration. Lines and columns start at 1. A linter that fails to run is an "
      "error, not a clean result.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{state: \"clean\"|\"findings\", path: string, linter: string, diagnostics: [{path: string, line: "
      "integer|null, column: integer|null, endLine: integer|null, endColumn: integer|null, severity: "
      "\"error\"|\"warning\"|\"information\"|\"hint\", code: string|null, source: string, message: string, "
      "fix: "
      "{edits: [{line: integer, column: integer, endLine: integer, endColumn: integer, newText: "
      "string}]}|null}], total: integer, errors: integer, warnings: integer}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;
  // Includes the time for an approval; the linter itself has less.
  static constexpr auto kTimeLimit = std::chrono::minutes(10);

  struct Params {
    std::string path;
    std::string linter;

    void describe(ParamSpec& p) {
      p.required("path", path, "File.", {.min_length = 1});
      p.optional("linter", linter,
                 "Name, or auto (default): the one the project configures, else an installed one.");
    }
  };

  Result execute(Context& context, const Params& params) const {
    const auto file = toolkit::load_for_check(context, params.path);
    if (!file) return fail(file.error());
    const auto run =
        toolkit::run_checker(context, checkers::Purpose::kLint, params.linter, file->subject, file->text);
    if (!run) return fail(run.error());
    const auto findings = checkers::read_findings({.spec = *run->chosen.spec,
                                                   .subject = file->subject,
                                                   .text = file->text,
                                                   .output = run->output,
                                                   .guesses_flags = run->command.guesses_flags});
    if (!findings) return fail(findings.error());
    return report(*file, *run, *findings);
  }
};

}  // namespace helve::tools
