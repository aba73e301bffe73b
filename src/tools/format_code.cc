// Formats a file with the formatter that fits its language, as one change that can be undone.
#include "base/strings.h"
#include "base/utf8.h"
#include "checkers/formatted.h"
#include "checkers/read_findings.h"
#include "code/extract.h"
#include "core/check_file.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "workspace/path_check.h"

namespace helve::tools {
namespace {

// What the formatter reads. Line endings are the file's own business: some formatters would change them all.
struct Input {
  std::string text;
  bool own_bytes = false;  // in the file's encoding instead of UTF-8
};
Input input_of(const CheckedFile& file) {
  const TextEncoding& encoding = file.loaded.format.encoding;
  // Python's programs go by the encoding that the source itself names.
  const bool own_bytes =
      file.subject.language == "python" && encoding.charset != Charset::kUtf8 && encoding.unit_size() == 1;
  const std::string_view bytes = without_bom(file.loaded.file.bytes, encoding);
  return {.text = with_endings(own_bytes ? bytes : std::string_view(file.text), LineEnding::kLf),
          .own_bytes = own_bytes};
}

// The new bytes of the file: its encoding, byte order mark and line endings as they were.
Expected<std::string> fitted(const CheckedFile& file, const Input& input, std::string_view formatted) {
  const std::string& bytes = file.loaded.file.bytes;
  const TextFormat& format = file.loaded.format;
  const std::string text = with_endings(formatted, LineEnding::kLf);
  if (text == input.text) return bytes;
  const std::string_view mark = bom_of(format.encoding);
  if (input.own_bytes) return concat(mark, with_endings(text, format.ending()));
  auto encoded = fit_text(bytes, format, {mark.size(), bytes.size() - mark.size()}, text);
  if (!encoded) return encoded;
  return concat(mark, *encoded);
}

Expected<void> refuse_unparsed(const CheckedFile& file, const CheckRun& run) {
  // autopep8 says nothing about text that does not parse, and changes what it happens to understand.
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

Output describe(const Context& context, const CheckedFile& file, const CheckRun& run,
                const std::string& bytes) {
  const std::string& path = file.subject.path;
  const std::string_view formatter = run.chosen.spec->name;
  const bool changed = bytes != file.loaded.file.bytes;
  const ChangeReport report =
      changed ? report_change({path, path}, file.loaded.file.bytes, bytes) : ChangeReport();
  Output output;
  output.content = run.notes();
  output.content += changed ? report.diff : concat(formatter, " leaves it as it is.\n");
  output.summary = concat(context.dry_run() ? "Dry run: " : "",
                          !changed            ? concat(printable_path(path), " is already formatted")
                          : context.dry_run() ? concat("would format ", printable_path(path))
                                              : concat("Formatted ", printable_path(path)),
                          " by ", formatter);
  if (changed) {
    output.summary += concat(" (", counts_text(report), ")");
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
      "Format a file with its language's formatter: black, autopep8 or yapf, prettier, clang-format, gofmt, "
      "rustfmt, shfmt.\n"
      "The project's own configuration counts; encoding and line endings stay. One change with a diff, which "
      "undo takes back. A file with syntax errors is left as it is.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{path: string, formatter: string, changed: boolean, addedLines: integer, removedLines: integer, diff: "
      "string, dryRun: boolean}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;
  // A person may be asked in between; the formatter itself has less time.
  static constexpr auto kTimeLimit = std::chrono::minutes(10);

  struct Params {
    std::string path;
    std::string formatter;

    void describe(ParamSpec& p) {
      p.required("path", path, "File, relative to the workspace.", {.min_length = 1});
      p.optional("formatter", formatter,
                 "Which one to use. Without it the one that the project is configured for, else one that is "
                 "installed.");
    }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }

  Result execute(Context& context, const Params& params) const {
    constexpr int kTries = 4;
    for (int attempt = 1;; ++attempt) {
      Result result = try_format(context, params);
      if (result || !is_concurrent_change(result.error()) || attempt == kTries || context.should_stop())
        return result;
    }
  }

 private:
  static Result try_format(Context& context, const Params& params) {
    const auto file = load_for_check(context, params.path);
    if (!file) return fail(file.error());
    // Leave to change it was given; the diff would show what it says.
    if (const auto hidden = context.engines().rules->hidden();
        !hidden->empty() && hidden->hides(file->subject.path))
      return fail(ErrorCode::kPermissionDenied,
                  concat(file->subject.path, " cannot be formatted: a rule keeps it from being read."));
    const Input input = input_of(*file);
    auto run = run_checker(context, checkers::Purpose::kFormat, params.formatter, file->subject, input.text);
    if (!run) return fail(run.error());
    if (auto parsed = refuse_unparsed(*file, *run); !parsed) return fail(parsed.error());
    const auto formatted =
        checkers::read_formatted(*run->chosen.spec, file->subject, input.text, run->output);
    if (!formatted) return fail(formatted.error());
    const auto bytes = fitted(*file, input, *formatted);
    if (!bytes) return fail(bytes.error());
    std::string notes;
    if (!context.dry_run() && *bytes != file->loaded.file.bytes) {
      FileChange change{.path = file->subject.path, .expected = file->loaded.file.state()};
      change.old_content = file->loaded.file.bytes;
      change.content = std::vector<std::string_view>{*bytes};
      std::vector<FileChange> changes{std::move(change)};
      const auto committed = commit_changes(context, "format_code", changes);
      if (!committed) return fail(committed.error());
      notes = notes_of(*committed);
    }
    Output output = describe(context, *file, *run, *bytes);
    output.content += notes;
    return output;
  }
};

}  // namespace helve::tools
