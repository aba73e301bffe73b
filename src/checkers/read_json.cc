// Readers for linters that write JSON: ruff, biome, oxlint, deno lint, rubocop, golangci-lint, ktlint.
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "checkers/finding.h"
#include "checkers/read_findings.h"

namespace helve::checkers {
namespace {

using lsp::ColumnUnit;

std::size_t count_in(const Json* json, std::string_view key) {
  std::int64_t number = 0;
  const Json* value = json != nullptr ? json->find(key) : nullptr;
  return value != nullptr && value->fits_int64(number) && number > 0 ? static_cast<std::size_t>(number) : 0;
}

const JsonArray& array_or_empty(const Json* json) {
  static const JsonArray empty;
  return json != nullptr && json->is_array() ? json->as_array() : empty;
}

// The text from the first bracket: some programs write a banner first.
std::optional<Json> parse_output(const LintRun& run) {
  const std::string_view text = run.output.output;
  const std::size_t begin = text.find_first_of("[{");
  if (begin == std::string_view::npos) return std::nullopt;
  auto parsed = parse_json(trim(text.substr(begin)));
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

std::unexpected<Error> no_result(const LintRun& run) {
  return did_not_run(run.spec, run.output, "did not run",
                     "Correct its configuration, or use get_diagnostics.");
}

Severity severity_named(std::string_view name) {
  if (name == "error" || name == "fatal") return Severity::kError;
  if (name == "warning") return Severity::kWarning;
  if (name == "hint") return Severity::kHint;
  return Severity::kInformation;
}

Finding new_finding(const LintRun& run, std::string code, std::string message) {
  Finding finding{.path = run.subject.path, .code = std::move(code), .message = std::move(message)};
  finding.source = run.spec.name;
  return finding;
}

bool is_about(const LintRun& run, std::string_view path) {
  return path.empty() || path == run.subject.path || path == run.subject.absolute_path() ||
         run.subject.absolute_path().ends_with(concat("/", path));
}

}  // namespace

Expected<std::vector<Finding>> read_ruff(const LintRun& run) {
  const auto parsed = parse_output(run);
  if (!parsed || !parsed->is_array() || run.output.exit_code > 1) return no_result(run);
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const Json& each : parsed->as_array()) {
    const auto extent = [&](const Json& place) {
      return columns.characters(
          {count_in(place.find("location"), "row"), count_in(place.find("location"), "column"),
           count_in(place.find("end_location"), "row"), count_in(place.find("end_location"), "column")},
          ColumnUnit::kUtf32);
    };
    Finding finding = new_finding(run, text_in(each, "code"), text_in(each, "message"));
    finding.extent = extent(each);
    // Errors of syntax have no rule.
    const bool grave = finding.code.empty() || finding.code == "invalid-syntax" ||
                       finding.code.starts_with("F82") || finding.code.starts_with("E9");
    finding.severity = grave ? Severity::kError : Severity::kWarning;
    if (const Json* fix = each.find("fix"); fix != nullptr && fix->is_object())
      for (const Json& edit : array_or_empty(fix->find("edits")))
        finding.fix.push_back({extent(edit), text_in(edit, "content")});
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_biome(const LintRun& run) {
  const auto parsed = parse_output(run);
  const Json* list = parsed ? parsed->find("diagnostics") : nullptr;
  if (list == nullptr || !list->is_array() || run.output.exit_code > 1) return no_result(run);
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const Json& each : list->as_array()) {
    const Json* location = each.find("location");
    std::string message = text_in(each, "message");
    if (message.empty()) message = text_in(each, "description");
    Finding finding = new_finding(run, text_in(each, "category"), std::move(message));
    finding.severity = severity_named(text_in(each, "severity"));
    if (location != nullptr) {
      const Json* start = location->find("start");
      const Json* end = location->find("end");
      finding.extent = columns.characters({count_in(start, "line"), count_in(start, "column"),
                                           count_in(end, "line"), count_in(end, "column")},
                                          ColumnUnit::kUtf32);
    }
    findings.push_back(std::move(finding));
  }
  // A file that biome leaves out is not clean.
  if (findings.empty() && count_in(parsed->find("summary"), "unchanged") == 0 &&
      count_in(parsed->find("summary"), "changed") == 0)
    return did_not_run(run.spec, run.output, "did not check the file",
                       "Change its configuration if the file should be checked.");
  return findings;
}

Expected<std::vector<Finding>> read_oxlint(const LintRun& run) {
  const auto parsed = parse_output(run);
  const Json* list = parsed ? parsed->find("diagnostics") : nullptr;
  if (list == nullptr || !list->is_array() || run.output.exit_code > 1) return no_result(run);
  if (count_in(&*parsed, "number_of_files") == 0)
    return did_not_run(run.spec, run.output, "did not check the file",
                       "Change its configuration if the file should be checked.");
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const Json& each : list->as_array()) {
    Finding finding = new_finding(run, text_in(each, "code"), text_in(each, "message"));
    finding.severity = severity_named(text_in(each, "severity"));
    if (const JsonArray& labels = array_or_empty(each.find("labels")); !labels.empty()) {
      const Json* span = labels.front().find("span");
      finding.extent = columns.characters(
          {.line = count_in(span, "line"), .column = count_in(span, "column")}, ColumnUnit::kUtf8);
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_deno_lint(const LintRun& run) {
  const auto parsed = parse_output(run);
  const Json* list = parsed ? parsed->find("diagnostics") : nullptr;
  if (list == nullptr || !list->is_array() || run.output.exit_code > 1) return no_result(run);
  std::vector<Finding> findings;
  for (const Json& each : list->as_array()) {
    Finding finding = new_finding(run, text_in(each, "code"), text_in(each, "message"));
    if (const Json* range = each.find("range")) {
      const Json* start = range->find("start");
      const Json* end = range->find("end");
      finding.extent = {count_in(start, "line"), count_in(start, "col") + 1, count_in(end, "line"),
                        count_in(end, "col") + 1};
    }
    findings.push_back(std::move(finding));
  }
  // Files that it could not read or parse.
  for (const Json& each : array_or_empty(parsed->find("errors"))) {
    Finding finding = new_finding(run, "", text_in(each, "message"));
    finding.severity = Severity::kError;
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_rubocop(const LintRun& run) {
  const auto parsed = parse_output(run);
  const JsonArray& files = array_or_empty(parsed ? parsed->find("files") : nullptr);
  if (files.empty() || run.output.exit_code > 1) return no_result(run);
  std::vector<Finding> findings;
  for (const Json& each : array_or_empty(files.front().find("offenses"))) {
    Finding finding = new_finding(run, text_in(each, "cop_name"), text_in(each, "message"));
    finding.severity = severity_named(text_in(each, "severity"));
    const Json* place = each.find("location");
    const std::size_t last = count_in(place, "last_column");  // of the last character
    finding.extent = {count_in(place, "start_line"), count_in(place, "start_column"),
                      count_in(place, "last_line"), last == 0 ? 0 : last + 1};
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_golangci_lint(const LintRun& run) {
  const auto parsed = parse_output(run);
  const Json* issues = parsed ? parsed->find("Issues") : nullptr;
  if (issues == nullptr || run.output.exit_code != 0) return no_result(run);
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const Json& each : array_or_empty(issues)) {
    const Json* place = each.find("Pos");
    // It checks the whole package.
    if (place == nullptr || !is_about(run, text_in(*place, "Filename"))) continue;
    Finding finding = new_finding(run, text_in(each, "FromLinter"), text_in(each, "Text"));
    finding.severity = finding.code == "typecheck" || text_in(each, "Severity") == "error"
                           ? Severity::kError
                           : Severity::kWarning;
    finding.extent = columns.characters(
        {.line = count_in(place, "Line"), .column = count_in(place, "Column")}, ColumnUnit::kUtf8);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_ktlint(const LintRun& run) {
  const auto parsed = parse_output(run);
  if (!parsed || !parsed->is_array() || run.output.exit_code > 1) return no_result(run);
  std::vector<Finding> findings;
  for (const Json& file : parsed->as_array())
    for (const Json& each : array_or_empty(file.find("errors"))) {
      Finding finding = new_finding(run, text_in(each, "rule"), text_in(each, "message"));
      finding.extent = {.line = count_in(&each, "line"), .column = count_in(&each, "column")};
      findings.push_back(std::move(finding));
    }
  return findings;
}

}  // namespace helve::checkers
