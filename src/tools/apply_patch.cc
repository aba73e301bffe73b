// Applies a patch to one or many files, all or nothing.
#include <algorithm>

#include "base/strings.h"
#include "helve/tool.h"
#include "patch/patch_parse.h"
#include "toolkit/edit_diagnostics.h"
#include "tools/patch_overlay.h"

namespace helve::tools {

struct ApplyPatch {
  static constexpr std::string_view kDescription =
      "Apply a unified diff (git style) or a *** Begin Patch to one or many files, all or nothing.\n"
      "Can create, delete, rename and change modes. Copy context lines exactly; line numbers may be off. "
      "A hunk that does not fit is refused, and the error shows the lines that are there.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{files: [{path: string, action: string}], addedLines: integer, removedLines: integer, dryRun: "
      "boolean}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::string patch;

    void describe(ParamSpec& p) {
      p.required("patch", patch, "The patch text.", {.min_length = 1, .whole_text = true});
    }
  };

  Result execute(Context& context, const Params& params) const;
};

namespace {

std::string_view kind_name(patch::PatchKind kind) {
  switch (kind) {
    case patch::PatchKind::kModify: return "changed";
    case patch::PatchKind::kCreate: return "created";
    case patch::PatchKind::kDelete: return "deleted";
    case patch::PatchKind::kRename: return "renamed";
    case patch::PatchKind::kCopy: return "copied";
  }
  return "changed";
}

std::string hunk_line(const patch::HunkReport& hunk) {
  std::string line = concat("  hunk ", hunk.hunk, " at line ", hunk.line);
  if (hunk.offset != 0)
    line += concat(", ", hunk.offset > 0 ? "+" : "", hunk.offset, " lines from where it said");
  if (hunk.fuzz > 0) line += concat(", ignoring ", count_of(hunk.fuzz, "context line"));
  if (!hunk.note.empty()) line += concat(", ", hunk.note);
  return line + "\n";
}

bool is_remarkable(const patch::HunkReport& hunk) {
  return hunk.offset != 0 || hunk.fuzz > 0 || !hunk.note.empty();
}

Json file_json(const PatchedFile& file) {
  JsonArray hunks;
  for (const patch::HunkReport& hunk : file.hunks)
    hunks.push_back(JsonObject{{"hunk", hunk.hunk},
                               {"line", hunk.line},
                               {"offset", hunk.offset},
                               {"fuzz", hunk.fuzz},
                               {"note", hunk.note}});
  JsonObject json{{"path", file.path}, {"action", kind_name(file.kind)}, {"hunks", std::move(hunks)}};
  if (!file.old_path.empty()) json.append("oldPath", file.old_path);
  return json;
}

Output describe(const Context& context, const PatchOverlay& overlay, const std::vector<PatchedFile>& patched,
                const std::vector<std::string>& parse_notes) {
  Output output;
  JsonArray files;
  for (const PatchedFile& file : patched) {
    output.content += concat(file.path, " ", kind_name(file.kind),
                             file.old_path.empty() ? "" : concat(" from ", file.old_path), "\n");
    for (const patch::HunkReport& hunk : file.hunks)
      if (is_remarkable(hunk)) output.content += hunk_line(hunk);
    files.push_back(file_json(file));
  }
  for (const std::string& note : parse_notes) output.content += concat("note: ", note, "\n");
  std::size_t added = 0;
  std::size_t removed = 0;
  std::string diff;
  // Diffs show neither renames nor modes nor empty files.
  bool whole = std::ranges::all_of(
      patched, [](const PatchedFile& file) { return file.old_path.empty() && !file.sets_mode; });
  for (const PatchOverlay::FileNow& file : overlay.files()) {
    const std::string_view old_path = file.before == nullptr  ? std::string_view()
                                      : file.old_path.empty() ? std::string_view(file.path)
                                                              : std::string_view(file.old_path);
    const patch::ChangeReport report = patch::report_change(
        {old_path, file.after != nullptr ? std::string_view(file.path) : std::string_view()},
        file.before != nullptr ? std::string_view(*file.before) : std::string_view(),
        file.after != nullptr ? std::string_view(*file.after) : std::string_view());
    added += report.added_lines;
    removed += report.removed_lines;
    whole = whole && report.is_whole;
    diff += report.diff;
    output.affected_paths.push_back(file.path);
    if (!file.old_path.empty()) output.affected_paths.push_back(file.old_path);
  }
  output.content += concat("\n", diff);
  output.diff_is_whole = whole;
  output.summary = concat(context.dry_run() ? "Dry run: the patch fits " : "Patched ",
                          count_of(patched.size(), "file"), " (+", added, " −", removed, ")");
  output.data = JsonObject{{"files", std::move(files)},
                           {"addedLines", added},
                           {"removedLines", removed},
                           {"dryRun", context.dry_run()}};
  return output;
}

}  // namespace

Result ApplyPatch::execute(Context& context, const Params& params) const {
  const auto patch = patch::parse_patch(params.patch);
  if (!patch) return fail(patch.error());
  constexpr int kTries = 5;
  for (int attempt = 1;; ++attempt) {
    PatchOverlay overlay(context, *patch);
    std::vector<PatchedFile> patched;
    std::vector<Error> errors;
    for (const patch::FilePatch& file : patch->files) {
      auto done = overlay.apply(file);
      if (done)
        patched.push_back(*std::move(done));
      else
        errors.push_back(done.error());
    }
    if (!errors.empty()) {
      Error error = errors.front();
      for (std::size_t i = 1; i < errors.size(); ++i) error.message += concat("\n\n", errors[i].message);
      if (!error.hint.starts_with("Nothing was changed.")) error.hint.insert(0, "Nothing was changed. ");
      return fail(std::move(error));
    }
    if (context.dry_run()) return describe(context, overlay, patched, patch->notes);
    std::vector<changes::FileChange> changes = overlay.changes();
    const auto committed = toolkit::commit_changes(context, "apply_patch", changes);
    if (committed) {
      Output output = describe(context, overlay, patched, patch->notes);
      output.content += toolkit::notes_of(*committed);
      toolkit::append_new_diagnostics(context, changes, output);
      return output;
    }
    if (!toolkit::is_concurrent_change(committed.error()) || attempt == kTries || context.should_stop())
      return fail(committed.error());
  }
}

}  // namespace helve::tools
