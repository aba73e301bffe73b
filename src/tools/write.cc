// Creates or replaces a file, or appends to it.
#include "base/strings.h"
#include "changes/changes_plan.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/edit_diagnostics.h"
#include "toolkit/file_change.h"
#include "toolkit/new_file_endings.h"

namespace helve::tools {

enum class WriteMode { kOverwrite, kAppend };
constexpr auto enum_names(WriteMode) { return std::to_array<std::string_view>({"overwrite", "append"}); }

struct Write {
  static constexpr std::string_view kDescription =
      "Create or replace a file, with missing directories; or append to it.\n"
      "To change part of a file use edit.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{path: string, created: boolean, changed: boolean, diff: string, dryRun: boolean, diagnostics?: "
      "[any]}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;

  struct Params {
    std::string path;
    std::string content;
    WriteMode mode = WriteMode::kOverwrite;

    void describe(ParamSpec& p) {
      p.required("path", path, "File, relative to the workspace.", {.min_length = 1});
      p.required("content", content,
                 "The text. Keeps the line endings of an existing file and ends with a newline.",
                 {.whole_text = true});
      p.optional("mode", mode, "Replace the file, or append.");
    }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }
  Result execute(Context& context, const Params& params) const;
};

namespace {

// The new bytes, in the file's encoding and with its line endings; UTF-8 for a new file.
Expected<std::string> new_bytes(const Write::Params& params, const toolkit::LoadedFile* old_file,
                                text::LineEnding new_ending) {
  const bool append = params.mode == WriteMode::kAppend && old_file != nullptr;
  std::string text = params.content;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  const text::TextFormat format =
      old_file != nullptr ? text::inspect_text(old_file->bytes) : text::TextFormat();
  if (old_file == nullptr || old_file->bytes.empty()) return text::with_endings(text, new_ending);
  if (!format.encoding.is_text()) {
    if (append)
      return fail(ErrorCode::kInvalidArgument,
                  concat(old_file->path, " is a binary file; text cannot be added to it."),
                  "Write to another file, or overwrite this one.");
    return text::with_endings(text, text::LineEnding::kLf);
  }
  // Appended text must not join an unterminated last line.
  if (append && !format.lines.has_final_break()) text.insert(0, "\n");
  auto encoded = text::encode(text::with_endings(text, format.ending()), format.encoding);
  if (!encoded) return encoded;
  return append ? *std::move(encoded) : concat(text::bom_of(format.encoding), *encoded);
}

Error changed_meanwhile(const toolkit::LoadedFile& file, std::string_view diff) {
  return {
      ErrorCode::kConflict, concat(file.path, " was changed since you last saw it:\n", diff),
      "Read it again and write with those changes in mind; or use edit, which touches only its own lines.",
      JsonObject{{"reason", "changed since seen"}, {"path", file.path}}};
}

}  // namespace

Result Write::execute(Context& context, const Params& params) const {
  auto loaded = toolkit::load_file(context, params.path);
  if (!loaded && loaded.error().code != ErrorCode::kNotFound) return fail(loaded.error());
  const toolkit::LoadedFile* old_file = loaded ? &*loaded : nullptr;
  const bool append = params.mode == WriteMode::kAppend && old_file != nullptr;
  if (old_file != nullptr && !append)
    if (const std::string diff = toolkit::changed_since_seen(context, *old_file); !diff.empty())
      return fail(changed_meanwhile(*old_file, diff));
  const bool has_no_lines = old_file == nullptr || old_file->bytes.empty();
  const toolkit::NewFileEnding ending =
      has_no_lines ? toolkit::ending_for_new_file(context, params.path) : toolkit::NewFileEnding();
  const auto bytes = new_bytes(params, old_file, ending.ending);
  if (!bytes) return fail(bytes.error());

  std::vector<changes::FileChange> changes(1);
  changes::FileChange& change = changes.front();
  change.path = params.path;
  std::vector<std::string_view> pieces;
  if (append) pieces.push_back(old_file->bytes);
  pieces.push_back(*bytes);
  change.content = pieces;
  if (old_file != nullptr) {
    change.expected = old_file->state();
    change.old_content = old_file->bytes;
  }
  std::string path = old_file != nullptr ? old_file->path : context.engines().root.relative_name(params.path);
  std::string notes;
  if (context.dry_run()) {
    // Refuses what a real write would refuse; missing directories are fine.
    const auto place = changes::resolve_place(context.engines().root, params.path);
    if (!place) return fail(place.error());
  } else {
    const auto committed = toolkit::commit_changes(context, "write", changes);
    if (!committed) return fail(committed.error());
    path = committed->files.front().path;
    notes = toolkit::notes_of(*committed);
  }

  const std::string_view before =
      old_file != nullptr ? std::string_view(old_file->bytes) : std::string_view();
  const std::string after = append ? concat(before, *bytes) : *bytes;
  const bool unchanged = old_file != nullptr && before == after;
  const patch::ChangeReport report = patch::report_change(
      {old_file != nullptr ? std::string_view(path) : std::string_view(), path}, before, after);
  const text::TextFormat format = text::inspect_text(after);
  const std::string_view what = unchanged             ? "unchanged"
                                : old_file == nullptr ? "created"
                                : append              ? "appended to"
                                                      : "overwritten";
  if (ending.ending != text::LineEnding::kLf && !after.empty())
    notes += concat("Line endings are ", text::to_string(ending.ending), ", as ", ending.source, " says.\n");
  const std::string size =
      concat(count_of(format.lines.lines(), "line"), ", ", count_of(after.size(), "byte"));
  std::string content = old_file == nullptr ? std::string() : report.diff;
  Output output{.summary = concat(context.dry_run() ? "Dry run: " : "", path, " ", what, " (", size,
                                  old_file != nullptr ? concat(", ", patch::counts_text(report)) : "", ")"),
                .content = concat(content, notes),
                .data = JsonObject{{"path", path},
                                   {"bytes", after.size()},
                                   {"lines", format.lines.lines()},
                                   {"created", old_file == nullptr},
                                   {"changed", !unchanged},
                                   {"encoding", text::to_string(format.encoding)},
                                   {"addedLines", report.added_lines},
                                   {"removedLines", report.removed_lines},
                                   {"diff", report.diff},
                                   {"dryRun", context.dry_run()}},
                .affected_paths = unchanged ? std::vector<std::string>() : std::vector<std::string>{path},
                .diff_is_whole = report.is_whole || unchanged};
  toolkit::append_new_diagnostics(context, changes, output);
  return output;
}

}  // namespace helve::tools
