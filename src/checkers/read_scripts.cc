// Readers for the linters of scripting languages: pylint, flake8, eslint, shellcheck.
#include <charconv>
#include <optional>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "checkers/finding.h"
#include "checkers/read_findings.h"

namespace helve::checkers {
namespace {

using lsp::ColumnUnit;

// 0 when it is missing or not a count.
std::size_t number_of(const Json& json, std::string_view key) {
  std::int64_t number = 0;
  const Json* value = json.find(key);
  return value != nullptr && value->fits_int64(number) && number > 0 ? static_cast<std::size_t>(number) : 0;
}

const JsonArray* list_of(const Json* json) {
  return json != nullptr && json->is_array() ? &json->as_array() : nullptr;
}

Extent extent_of(const Json& json) {
  return {number_of(json, "line"), number_of(json, "column"), number_of(json, "endLine"),
          number_of(json, "endColumn")};
}

Finding finding_in(const LintRun& run) {
  return {.path = run.subject.path, .source = std::string(run.spec.name)};
}

Severity severity_of_flake8(std::string_view code) {
  // Syntax errors, wrong comparisons and formats, misplaced statements, undefined names.
  for (const std::string_view grave : {"E9", "F5", "F6", "F7", "F82"})
    if (code.starts_with(grave)) return Severity::kError;
  return Severity::kWarning;
}

// Parses "path:3:20: F821 undefined name 'x'"; the path is known.
std::optional<Finding> read_flake8_line(const LintRun& run, std::string_view line) {
  const std::string prefix = concat(run.subject.absolute_path(), ":");
  if (!line.starts_with(prefix)) return std::nullopt;
  Finding finding = finding_in(run);
  const char* at = line.data() + prefix.size();
  const char* end = line.data() + line.size();
  for (std::size_t* number : {&finding.extent.line, &finding.extent.column}) {
    const auto read = std::from_chars(at, end, *number);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return std::nullopt;
    at = read.ptr + 1;
  }
  const std::string_view rest = trim(std::string_view(at, static_cast<std::size_t>(end - at)));
  const std::size_t space = rest.find(' ');
  finding.code = rest.substr(0, space);
  finding.message = space == std::string_view::npos ? "" : std::string(trim(rest.substr(space)));
  finding.severity = severity_of_flake8(finding.code);
  return finding;
}

}  // namespace

Expected<std::vector<Finding>> read_pylint(const LintRun& run) {
  // The exit code is a bit mask of finding types; 32 is a usage or configuration error.
  const auto parsed = parse_json(run.output.output);
  if ((run.output.exit_code & 32) != 0 || run.output.exit_code > 63 || !parsed || !parsed->is_array())
    return did_not_run(run.spec, run.output, "did not run", "Check its configuration, or use flake8.");
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const Json& message : parsed->as_array()) {
    Finding finding = finding_in(run);
    finding.extent = extent_of(message);
    // Columns count from 0, in bytes, and are 0 for a whole line.
    ++finding.extent.column;
    if (finding.extent.end_line > 0) ++finding.extent.end_column;
    finding.extent = columns.characters(finding.extent, ColumnUnit::kUtf8);
    const std::string type = text_in(message, "type");
    finding.severity = type == "fatal" || type == "error" ? Severity::kError
                       : type == "warning"                ? Severity::kWarning
                                                          : Severity::kInformation;
    finding.code = text_in(message, "message-id");
    if (const std::string symbol = text_in(message, "symbol"); !symbol.empty())
      finding.code += concat(finding.code.empty() ? "" : " ", symbol);
    finding.message = text_in(message, "message");
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_flake8(const LintRun& run) {
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const std::string_view line : split(run.output.output, '\n')) {
    auto finding = read_flake8_line(run, line);
    if (!finding) continue;
    // pyflakes counts bytes, the others characters.
    if (finding->code.starts_with('F'))
      finding->extent = columns.characters(finding->extent, ColumnUnit::kUtf8);
    findings.push_back(*std::move(finding));
  }
  const int code = run.output.exit_code;
  if (code > 1 || code < 0 || (code == 1 && findings.empty()))
    return did_not_run(run.spec, run.output, "did not run", "Check its configuration, or use pylint.");
  return findings;
}

Expected<std::vector<Finding>> read_eslint(const LintRun& run) {
  const auto parsed = parse_json(run.output.output);
  const JsonArray* files = parsed ? list_of(&*parsed) : nullptr;
  if (run.output.exit_code > 1 || run.output.exit_code < 0 || files == nullptr || files->empty()) {
    const bool bare = run.output.errors.find("couldn't find") != std::string::npos &&
                      run.output.errors.find("config") != std::string::npos;
    return did_not_run(run.spec, run.output,
                       bare ? "did not run, because the project has no configuration for it" : "did not run",
                       bare ? "Create one (npm init @eslint/config), or use get_diagnostics."
                            : "Correct its configuration, or use get_diagnostics.");
  }
  const Columns columns(run.text);
  std::vector<Finding> findings;
  const JsonArray* messages = list_of(files->front().find("messages"));
  if (messages == nullptr) return findings;
  for (const Json& message : *messages) {
    const std::size_t severity = number_of(message, "severity");
    const std::string text = text_in(message, "message");
    // A warning without a rule and a line means that the file was not checked.
    if (number_of(message, "line") == 0 && text_in(message, "ruleId").empty() && severity < 2)
      return did_not_run(run.spec, {.exit_code = run.output.exit_code, .errors = text},
                         "did not check the file", "Change its configuration if the file should be checked.");
    Finding finding = finding_in(run);
    finding.extent = columns.characters(extent_of(message), ColumnUnit::kUtf16);
    finding.severity = severity >= 2 ? Severity::kError : Severity::kWarning;
    finding.code = text_in(message, "ruleId");
    finding.message = text;
    const Json* fix = message.find("fix");
    const JsonArray* range = fix != nullptr ? list_of(fix->find("range")) : nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (range != nullptr && range->size() == 2 && (*range)[0].fits_int64(begin) &&
        (*range)[1].fits_int64(end) && begin >= 0 && end >= begin)
      finding.fix.push_back(
          {columns.of_offsets(static_cast<std::size_t>(begin), static_cast<std::size_t>(end)),
           text_in(*fix, "text")});
    findings.push_back(std::move(finding));
  }
  return findings;
}

Expected<std::vector<Finding>> read_shellcheck(const LintRun& run) {
  const auto parsed = parse_json(run.output.output);
  const JsonArray* comments = parsed ? list_of(parsed->find("comments")) : nullptr;
  if (run.output.exit_code > 1 || run.output.exit_code < 0 || comments == nullptr)
    return did_not_run(run.spec, run.output, "did not run", "Check .shellcheckrc.");
  std::vector<Finding> findings;
  for (const Json& comment : *comments) {
    const std::size_t code = number_of(comment, "code");
    const std::string text = text_in(comment, "message");
    if (code == 1071)  // zsh and others
      return did_not_run(run.spec, {.exit_code = run.output.exit_code, .errors = text},
                         "did not check the file", "Use the shell's own check: zsh -n, fish -n.");
    Finding finding = finding_in(run);
    finding.extent = extent_of(comment);
    const std::string level = text_in(comment, "level");
    finding.severity = level == "error"     ? Severity::kError
                       : level == "warning" ? Severity::kWarning
                       : level == "info"    ? Severity::kInformation
                                            : Severity::kHint;
    finding.code = concat("SC", code);
    finding.message = text;
    const Json* fix = comment.find("fix");
    if (const JsonArray* edits = fix != nullptr ? list_of(fix->find("replacements")) : nullptr)
      for (const Json& edit : *edits) finding.fix.push_back({extent_of(edit), text_in(edit, "replacement")});
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace helve::checkers
