// Readers for the linters of C and C++: clang-tidy and cppcheck.
#include <optional>

#include "base/strings.h"
#include "base/to_number.h"
#include "checkers/finding.h"
#include "checkers/read_findings.h"

namespace helve::checkers {
namespace {

using lsp::ColumnUnit;

constexpr std::size_t kMostNotes = 3;  // of one finding

std::string shown_path(const LintRun& run, std::string_view path) {
  const std::string prefix = concat(run.subject.workspace, "/");
  return std::string(path.starts_with(prefix) ? path.substr(prefix.size()) : path);
}

// Converts columns in the checked file; columns in other files stay unchanged.
void set_place(Finding& finding, const LintRun& run, const Columns& columns, std::string_view path,
               std::size_t line, std::size_t column) {
  finding.path = shown_path(run, path);
  finding.extent = {.line = line, .column = column};
  if (finding.path == run.subject.path)
    finding.extent = columns.characters(finding.extent, ColumnUnit::kUtf8);
}

// "/a/b.cpp:3:10: warning: text [checks]"
struct ClangLine {
  std::string_view path, kind, text, checks;
  std::size_t line = 0;
  std::size_t column = 0;
};
std::optional<ClangLine> read_clang_line(std::string_view line) {
  for (const std::string_view kind : {"warning", "error", "note"}) {
    const std::string mark = concat(": ", kind, ": ");
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view place = line.substr(0, at);
    const std::size_t second = place.rfind(':');
    if (second == std::string_view::npos || second == 0) continue;
    const std::size_t first = place.rfind(':', second - 1);
    if (first == std::string_view::npos) continue;
    const auto number = to_number<std::size_t>(place.substr(first + 1, second - first - 1));
    const auto column = to_number<std::size_t>(place.substr(second + 1));
    if (!number || !column) continue;
    ClangLine read{.path = place.substr(0, first), .kind = kind, .text = line.substr(at + mark.size())};
    read.line = *number;
    read.column = *column;
    if (const std::size_t open = read.text.rfind(" [");
        open != std::string_view::npos && read.text.ends_with(']')) {
      read.checks = read.text.substr(open + 2, read.text.size() - open - 3);
      read.text = read.text.substr(0, open);
    }
    return read;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::vector<Finding>> read_clang_tidy(const LintRun& run) {
  const Columns columns(run.text);
  std::vector<Finding> findings;
  std::size_t notes = 0;
  bool lacks_header = false;
  for (const std::string_view line : split(run.output.output, '\n')) {
    const auto read = read_clang_line(line);
    if (!read) continue;
    if (read->kind == "note") {
      if (!findings.empty() && ++notes <= kMostNotes)
        findings.back().message += concat("\nnote: ", shown_path(run, read->path), ":", read->line, ":",
                                          read->column, ": ", read->text);
      continue;
    }
    notes = 0;
    Finding finding{.source = std::string(run.spec.name)};
    set_place(finding, run, columns, read->path, read->line, read->column);
    finding.severity = read->kind == "error" ? Severity::kError : Severity::kWarning;
    finding.code = read->checks;
    finding.message = read->text;
    lacks_header = lacks_header || read->text.ends_with("file not found");
    findings.push_back(std::move(finding));
  }
  if (lacks_header && run.guesses_flags)
    return did_not_run(
        run.spec, {.exit_code = run.output.exit_code, .errors = findings.front().message},
        "could not compile the file, because the compiler's flags are unknown",
        "Create a compile_commands.json (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear), or "
        "use cppcheck.");
  if (run.output.exit_code != 0 && findings.empty())
    return did_not_run(run.spec, run.output, "did not run", "Check .clang-tidy and compile_commands.json.");
  return findings;
}

Expected<std::vector<Finding>> read_cppcheck(const LintRun& run) {
  const Columns columns(run.text);
  std::vector<Finding> findings;
  for (const std::string_view line : split(run.output.errors, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 6) continue;
    const auto number = to_number<std::size_t>(fields[1]);
    const auto column = to_number<std::size_t>(fields[2]);
    if (!number || !column) continue;
    Finding finding{.source = std::string(run.spec.name)};
    set_place(finding, run, columns, fields[4], *number, *column);
    finding.severity = fields[0] == "error"         ? Severity::kError
                       : fields[0] == "information" ? Severity::kInformation
                       : fields[0] == "style"       ? Severity::kInformation
                                                    : Severity::kWarning;
    finding.code = fields[3];
    finding.message = line.substr(static_cast<std::size_t>(fields[5].data() - line.data()));
    findings.push_back(std::move(finding));
  }
  // cppcheck reports its own errors on stdout.
  if (run.output.exit_code != 0 || trim(run.output.output).starts_with("cppcheck: error"))
    return did_not_run(run.spec, run.output, "did not run", "Use clang-tidy.");
  return findings;
}

}  // namespace helve::checkers
