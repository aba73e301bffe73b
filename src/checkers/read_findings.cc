#include "checkers/read_findings.h"

#include <algorithm>
#include <tuple>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/to_number.h"
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
      case Reader::kRuff: return read_ruff(run);
      case Reader::kBiome: return read_biome(run);
      case Reader::kOxlint: return read_oxlint(run);
      case Reader::kDenoLint: return read_deno_lint(run);
      case Reader::kRubocop: return read_rubocop(run);
      case Reader::kGolangciLint: return read_golangci_lint(run);
      case Reader::kKtlint: return read_ktlint(run);
      case Reader::kText:
      case Reader::kDiff: break;
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

namespace {

// The text after the hunks of a unified diff; nothing if they do not fit the text.
std::optional<std::string> after_diff(std::string_view input, std::string_view diff) {
  const std::vector<std::string_view> lines = split(input, '\n');
  std::vector<std::string> result;
  std::size_t next = 0;
  bool in_hunk = false;
  for (const std::string_view line : split(diff, '\n')) {
    if (line.starts_with("@@ -")) {
      const auto first = to_number<std::size_t>(line.substr(4, line.find_first_of(", ", 4) - 4));
      if (!first || *first > lines.size() || (*first > 0 && *first - 1 < next)) return std::nullopt;
      while (next + 1 < *first) result.emplace_back(lines[next++]);
      in_hunk = true;
      continue;
    }
    if (!in_hunk || line.empty() || line.starts_with('\\')) continue;
    if (line.front() == '+') {
      result.emplace_back(line.substr(1));
      continue;
    }
    if (next >= lines.size() || lines[next] != line.substr(1)) return std::nullopt;
    if (line.front() == ' ') result.emplace_back(lines[next]);
    ++next;
  }
  while (next < lines.size()) result.emplace_back(lines[next++]);
  return join(result, "\n");
}

// php-cs-fixer writes no text for stdin, but {files: [{diff}]}.
Expected<std::string> read_diff(const CheckerSpec& spec, const Subject& subject, std::string_view input,
                                const ProgramOutput& output) {
  const auto parsed = parse_json(output.output);
  const Json* files = parsed ? parsed->find("files") : nullptr;
  if (files != nullptr && files->is_array()) {
    if (files->as_array().empty()) return std::string(input);
    if (auto text = after_diff(input, text_in(files->as_array().front(), "diff"))) return *std::move(text);
  }
  return did_not_run(spec, output, concat("could not format ", subject.path, "; the file is unchanged"),
                     "Check its configuration.");
}

}  // namespace

Expected<std::string> read_formatted(const CheckerSpec& spec, const Subject& subject, std::string_view input,
                                     ProgramOutput output) {
  // Exit codes when the text does not parse: black 123, prettier and gofmt 2, the others 1. black still
  // prints the unchanged text.
  if (output.exit_code != 0 && output.exit_code != spec.accepted_exit_code)
    return did_not_run(spec, {.exit_code = output.exit_code, .errors = output.errors},
                       concat("could not format ", subject.path, "; the file is unchanged"),
                       "Fix the reported errors, then try again.");
  if (spec.reader == Reader::kDiff) return read_diff(spec, subject, input, output);
  if (trim(output.output).empty() && !trim(input).empty())
    return did_not_run(spec, output, concat("returned no text for ", subject.path, "; the file is unchanged"),
                       "Check its configuration.");
  return std::move(output.output);
}

}  // namespace helve::checkers
