#include "toolkit/edit_text.h"

#include "base/strings.h"
#include "core/engines.h"
#include "helve/settings/edit.h"
#include "patch/edit_plan.h"
#include "toolkit/edit_diagnostics.h"
#include "toolkit/file_change.h"

namespace helve::toolkit {
namespace {

// The planned change of one file: its new bytes, and the number of replaced places.
struct Planned {
  std::vector<text::Replacement> replacements;  // of one edit: spans of the bytes as they were
  std::string bytes;                            // of several edits: the whole new content
  bool whole = false;
  std::size_t places = 0;
  std::string note = {};
};

Expected<Planned> plan_one(const LoadedText& text, const TextReplacement& replacement, bool first_only,
                           bool accept_loose) {
  auto plan = patch::plan_edit(text.file.bytes, text.format,
                               {.old_text = replacement.old_text,
                                .new_text = replacement.new_text,
                                .replace_all = replacement.replace_all,
                                .first_only = first_only,
                                .accept_loose = accept_loose},
                               text.file.path);
  if (!plan) return fail(plan.error());
  Planned planned{.replacements = std::move(plan->replacements)};
  planned.places = planned.replacements.size();
  planned.note = std::move(plan->note);
  return planned;
}

Expected<Planned> plan_many(const LoadedText& text, const std::vector<TextReplacement>& edits,
                            bool accept_loose) {
  Planned planned{.bytes = text.file.bytes, .whole = true};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    auto plan = patch::plan_edit(planned.bytes, text::inspect_text(planned.bytes),
                                 {.old_text = edits[i].old_text,
                                  .new_text = edits[i].new_text,
                                  .replace_all = edits[i].replace_all,
                                  .accept_loose = accept_loose},
                                 text.file.path);
    if (!plan) {
      Error error = plan.error();
      error.message = concat("edits[", i, "]: ", error.message);
      error.hint += i > 0 ? " The edits before it were tried first; none was made." : " No edit was made.";
      return fail(std::move(error));
    }
    std::string next;
    for (const std::string_view piece : text::splice(planned.bytes, plan->replacements)) next += piece;
    planned.bytes = std::move(next);
    planned.places += plan->replacements.size();
    planned.note += plan->note;
  }
  return planned;
}

Result describe(const Context& context, const LoadedText& text, const Planned& planned, std::string_view path,
                std::string_view notes) {
  const patch::ChangeReport report =
      planned.whole ? patch::report_change({path, path}, text.file.bytes, planned.bytes)
                    : patch::report_change({path, path}, text.file.bytes, text.format, planned.replacements);
  std::string content = concat(planned.note, notes, report.diff);
  if (!report.snippet.empty())
    content += concat(context.dry_run() ? "\nThen:\n" : "\nNow:\n", report.snippet);
  return Output{
      .summary = concat(context.dry_run() ? "Dry run: " : "", path, ": ",
                        count_of(planned.places, "replacement"), " (", patch::counts_text(report), ")"),
      .content = std::move(content),
      .data = JsonObject{{"path", path},
                         {"replacements", planned.places},
                         {"addedLines", report.added_lines},
                         {"removedLines", report.removed_lines},
                         {"diff", report.diff},
                         {"dryRun", context.dry_run()}},
      .affected_paths = {std::string(path)},
      .diff_is_whole = report.is_whole};
}

}  // namespace

Result edit_text(Context& context, const TextEdit& edit) {
  constexpr int kTries = 10;
  const bool accept_loose = context.engines().settings.edit.loose_matches;
  std::string notes;
  for (int attempt = 1;; ++attempt) {
    const auto text = load_text(context, edit.path);
    if (!text) return fail(text.error());
    if (attempt == 1 && !changed_since_seen(context, text->file).empty())
      notes =
          "The file changed since you read it; the edit still fits and was made to the "
          "new text.\n";
    const auto planned = edit.replacements.size() == 1
                             ? plan_one(*text, edit.replacements.front(), edit.first_only, accept_loose)
                             : plan_many(*text, edit.replacements, accept_loose);
    if (!planned) {
      Error error = planned.error();
      if (const std::string diff = changed_since_seen(context, text->file); !diff.empty()) {
        error.code = ErrorCode::kConflict;
        error.message += concat("\nThe file was changed since you read it:\n", diff);
      }
      return fail(std::move(error));
    }
    if (context.dry_run()) return describe(context, *text, *planned, text->file.path, notes);
    changes::FileChange change{.path = edit.path, .expected = text->file.state()};
    change.old_content = text->file.bytes;
    change.content = planned->whole ? std::vector<std::string_view>{planned->bytes}
                                    : text::splice(text->file.bytes, planned->replacements);
    std::vector<changes::FileChange> changes{std::move(change)};
    const auto committed = commit_changes(context, edit.tool, changes);
    if (committed) {
      Result result = describe(context, *text, *planned, committed->files.front().path,
                               concat(notes, notes_of(*committed)));
      append_new_diagnostics(context, changes, *result);
      return result;
    }
    if (!is_concurrent_change(committed.error()) || attempt == kTries || context.should_stop())
      return fail(committed.error());
    notes = "The file changed while the edit was made; it still fits and was made to the new text.\n";
  }
}

}  // namespace helve::toolkit
