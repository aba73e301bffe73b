#include "toolkit/edit_text.h"

#include "base/strings.h"
#include "base/utf8.h"
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

// The lengths of the texts that the model gave.
struct Lengths {
  std::size_t old_text = 0;
  std::size_t new_text = 0;
};

Lengths lengths_of(const std::vector<TextReplacement>& edits) {
  Lengths lengths;
  for (const TextReplacement& edit : edits) {
    lengths.old_text += count_characters(edit.old_text);
    lengths.new_text += count_characters(edit.new_text);
  }
  return lengths;
}

Expected<Planned> plan_one(const LoadedText& text, const TextReplacement& replacement, std::string_view tool,
                           bool first_only, bool accept_loose) {
  auto plan = patch::plan_edit(text.file.bytes, text.format,
                               {.old_text = replacement.old_text,
                                .new_text = replacement.new_text,
                                .replace_all = replacement.replace_all,
                                .first_only = first_only,
                                .may_take_first = tool == "edit",
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

// One edit. The changes refer to the texts, so it is not moved once it is made.
struct EditWork {
  LoadedText text = {};
  Planned planned = {};
  std::string notes = {};  // lines for the caller
  Lengths lengths = {};
  std::vector<changes::FileChange> changes = {};
  std::optional<changes::Committed> committed = {};  // empty in a dry run

  [[nodiscard]] const std::string& path() const {
    return committed ? committed->files.front().path : text.file.path;
  }
  [[nodiscard]] patch::ChangeReport report() const {
    return planned.whole
               ? patch::report_change({path(), path()}, text.file.bytes, planned.bytes)
               : patch::report_change({path(), path()}, text.file.bytes, text.format, planned.replacements);
  }
};

Result describe(const Context& context, const EditWork& work) {
  const Planned& planned = work.planned;
  const std::string& path = work.path();
  const patch::ChangeReport report = work.report();
  std::string content = concat(planned.note, work.notes, report.diff);
  if (!report.snippet.empty() && !planned.whole)
    content += concat(context.dry_run() ? "\nThen:\n" : "\nNow:\n", report.snippet);
  return Output{
      .summary = concat(context.dry_run() ? "Dry run: " : "", path, ": ",
                        count_of(planned.places, "replacement"), " (", patch::counts_text(report), ")"),
      .content = std::move(content),
      .data = JsonObject{{"path", path},
                         {"replacements", planned.places},
                         {"addedLines", report.added_lines},
                         {"removedLines", report.removed_lines},
                         {"oldTextLength", work.lengths.old_text},
                         {"newTextLength", work.lengths.new_text},
                         {"diff", report.diff},
                         {"snippet", report.snippet},
                         {"dryRun", context.dry_run()}},
      .affected_paths = {path},
      .diff_is_whole = report.is_whole};
}

Expected<void> plan_and_commit(Context& context, const TextEdit& edit, EditWork& work) {
  constexpr int kTries = 10;
  const bool accept_loose = context.engines().settings.edit.loose_matches;
  work.lengths = lengths_of(edit.replacements);
  for (int attempt = 1;; ++attempt) {
    auto text = load_text(context, edit.path);
    if (!text) return fail(text.error());
    work.text = *std::move(text);
    if (attempt == 1 && !changed_since_seen(context, work.text.file).empty())
      work.notes =
          "The file changed since you read it; the edit still fits and was made to the "
          "new text.\n";
    auto planned = edit.replacements.size() == 1 ? plan_one(work.text, edit.replacements.front(), edit.tool,
                                                            edit.first_only, accept_loose)
                                                 : plan_many(work.text, edit.replacements, accept_loose);
    if (!planned) {
      Error error = planned.error();
      if (const std::string diff = changed_since_seen(context, work.text.file); !diff.empty()) {
        error.code = ErrorCode::kConflict;
        error.message += concat("\nThe file was changed since you read it:\n", diff);
      }
      return fail(std::move(error));
    }
    work.planned = *std::move(planned);
    if (context.dry_run()) return {};
    const std::string& bytes = work.text.file.bytes;
    changes::FileChange change{.path = edit.path, .expected = work.text.file.state()};
    change.old_content = bytes;
    change.content = work.planned.whole ? std::vector<std::string_view>{work.planned.bytes}
                                        : text::splice(bytes, work.planned.replacements);
    work.changes = {std::move(change)};
    auto committed = commit_changes(context, edit.tool, work.changes);
    if (committed) {
      work.notes += notes_of(*committed);
      work.committed = *std::move(committed);
      return {};
    }
    if (!is_concurrent_change(committed.error()) || attempt == kTries || context.should_stop())
      return fail(committed.error());
    work.notes = "The file changed while the edit was made; it still fits and was made to the new text.\n";
  }
}

}  // namespace

Result edit_text(Context& context, const TextEdit& edit) {
  EditWork work;
  if (auto made = plan_and_commit(context, edit, work); !made) return fail(made.error());
  Result result = describe(context, work);
  if (work.committed) append_new_diagnostics(context, work.changes, *result);
  return result;
}

Expected<FileChanged> apply_text_edit(Context& context, const TextEdit& edit) {
  EditWork work;
  if (auto made = plan_and_commit(context, edit, work); !made) return fail(made.error());
  return FileChanged{.path = work.path(),
                     .diff = work.report().diff,
                     .change_id = work.committed ? work.committed->change_id : std::string()};
}

}  // namespace helve::toolkit
