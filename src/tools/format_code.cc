// Formats a file with the formatter that fits its language, as one change that can be undone.
#include "base/strings.h"
#include "base/utf8.h"
#include "checkers/read_findings.h"
#include "code/extract.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/check_file.h"
#include "workspace/path_check.h"

namespace helve::tools {
namespace {

// The formatter's input. It has LF line endings, because some formatters would change all of them.
struct Input {
  std::string text;
  bool own_bytes = false;  // in the file's encoding, not in UTF-8
};
Input input_of(const toolkit::CheckedFile& file) {
  const text::TextEncoding& encoding = file.loaded.format.encoding;
  // Python formatters read the encoding that the source declares.
  const bool own_bytes = file.subject.language == "python" && encoding.charset != text::Charset::kUtf8 &&
                         encoding.unit_size() == 1;
  const std::string_view bytes = text::without_bom(file.loaded.file.bytes, encoding);
  return {.text = text::with_endings(own_bytes ? bytes : std::string_view(file.text), text::LineEnding::kLf),
          .own_bytes = own_bytes};
}

// The file's new bytes, with its encoding, byte order mark and line endings.
Expected<std::string> fitted(const toolkit::CheckedFile& file, const Input& input,
                             std::string_view formatted) {
  const std::string& bytes = file.loaded.file.bytes;
  const text::TextFormat& format = file.loaded.format;
  const std::string text = text::with_endings(formatted, text::LineEnding::kLf);
  if (text == input.text) return bytes;
  const std::string_view mark = text::bom_of(format.encoding);
  if (input.own_bytes) return concat(mark, text::with_endings(text, format.ending()));
  auto encoded = text::fit_text(bytes, format, {mark.size(), bytes.size() - mark.size()}, text);
  if (!encoded) return encoded;
  return concat(mark, *encoded);
}

Expected<void> refuse_unparsed(const toolkit::CheckedFile& file, const toolkit::CheckRun& run) {
  // autopep8 does not report syntax errors and changes the parts it understands.
  if (run.chosen.spec->name != "autopep8") return {};
  const code::FileAnalysis analysis =
      code::extract(file.text, file.subject.language, code::Depth::kNames, {});
  if (analysis.error_regions == 0) return {};
  const std::string line =
      analysis.error_lines.empty() ? std::string() : concat(" near line ", analysis.error_lines.front());
  return checkers::did_not_run(
      *run.chosen.spec, {},
      concat("does not format what it cannot parse, and ", file.subject.path, " has a syntax error", line),
      "Mend it, then try again.");
}

Output describe(const Context& context, const toolkit::CheckedFile& file, const toolkit::CheckRun& run,
                const std::string& bytes) {
  const std::string& path = file.subject.path;
  const std::string_view formatter = run.chosen.spec->name;
  const bool changed = bytes != file.loaded.file.bytes;
  const patch::ChangeReport report =
      changed ? patch::report_change({path, path}, file.loaded.file.bytes, bytes) : patch::ChangeReport();
  Output output;
  output.content = run.notes();
  output.content += changed ? report.diff : concat(formatter, " leaves it as it is.\n");
  output.summary = concat(context.dry_run() ? "Dry run: " : "",
                          !changed ? concat(workspace::printable_path(path), " is already formatted")
                          : context.dry_run() ? concat("would format ", workspace::printable_path(path))
                                              : concat("Formatted ", workspace::printable_path(path)),
                          " by ", formatter);
  if (changed) {
    output.summary += concat(" (", patch::counts_text(report), ")");
    output.affected_paths.push_back(path);
    output.diff_is_whole = report.is_whole;
  }
  output.data = JsonObject{{"path", to_valid_utf8(path)},
                           {"formatter", formatter},
                           {"program", run.chosen.program},
                           {"changed", changed},
                           {"addedLines", report.added_lines},
                           {"removedLines", report.removed_lines},
                           {"diff", report.diff},
                           {"dryRun", context.dry_run()}};
  return output;
}

}  // namespace

struct FormatCode {
  static constexpr std::string_view kDescription =
      "Format a file with the project's formatter: black, ruff, prettier, biome, clang-format, gofmt, "
      "rustfmt, shfmt, …\n"
      "Uses the project's configuration and shows a diff. Refuses a file with syntax errors.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{path: string, formatter: string, changed: boolean, addedLines: integer, removedLines: integer, diff: "
      "string, dryRun: boolean}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;
  // Includes the time for an approval; the formatter itself has less.
  static constexpr auto kTimeLimit = std::chrono::minutes(10);

  struct Params {
    std::string path;
    std::string formatter;

    void describe(ParamSpec& p) {
      p.required("path", path, "File.", {.min_length = 1});
      p.optional("formatter", formatter,
                 "Name, or auto (default): the one the project configures, else an installed one.");
    }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }

  Result execute(Context& context, const Params& params) const {
    constexpr int kTries = 4;
    for (int attempt = 1;; ++attempt) {
      Result result = try_format(context, params);
      if (result || !toolkit::is_concurrent_change(result.error()) || attempt == kTries ||
          context.should_stop())
        return result;
    }
  }

 private:
  static Result try_format(Context& context, const Params& params) {
    const auto file = toolkit::load_for_check(context, params.path);
    if (!file) return fail(file.error());
    // The change is approved already; only the diff would reveal the content.
    if (const auto hidden = context.engines().rules->hidden();
        !hidden->empty() && hidden->hides(file->subject.path))
      return fail(ErrorCode::kPermissionDenied,
                  concat(file->subject.path, " cannot be formatted: a rule keeps it from being read."));
    const Input input = input_of(*file);
    auto run = toolkit::run_checker(context, checkers::Purpose::kFormat, params.formatter, file->subject,
                                    input.text);
    if (!run) return fail(run.error());
    if (auto parsed = refuse_unparsed(*file, *run); !parsed) return fail(parsed.error());
    const auto formatted =
        checkers::read_formatted(*run->chosen.spec, file->subject, input.text, run->output);
    if (!formatted) return fail(formatted.error());
    const auto bytes = fitted(*file, input, *formatted);
    if (!bytes) return fail(bytes.error());
    std::string notes;
    if (!context.dry_run() && *bytes != file->loaded.file.bytes) {
      changes::FileChange change{.path = file->subject.path, .expected = file->loaded.file.state()};
      change.old_content = file->loaded.file.bytes;
      change.content = std::vector<std::string_view>{*bytes};
      std::vector<changes::FileChange> changes{std::move(change)};
      const auto committed = toolkit::commit_changes(context, "format_code", changes);
      if (!committed) return fail(committed.error());
      notes = toolkit::notes_of(*committed);
    }
    Output output = describe(context, *file, *run, *bytes);
    output.content += notes;
    return output;
  }
};

}  // namespace helve::tools
