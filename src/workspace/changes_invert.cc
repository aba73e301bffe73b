#include "workspace/changes_invert.h"

#include <ranges>

#include "base/strings.h"
#include "workspace/changes_record.h"
#include "workspace/diff.h"
#include "workspace/journal_look.h"
#include "workspace/path_check.h"

namespace helve {
namespace {

using Kind = FileChange::Kind;

constexpr std::size_t kMostDiffLines = 200;
constexpr std::size_t kMostDiffBytes = std::size_t{16} << 10;

bool is_text(std::string_view content) { return !content.contains('\0'); }

// Takes one change set back.
class Inverter {
 public:
  Inverter(const ChangesContext& context, const HistoryStore& store, const ChangeRecord& record,
           InvertFor purpose)
      : context_(context), store_(store), record_(record), purpose_(purpose) {}

  Expected<Inverse> run();

 private:
  Expected<void> invert(const FileRecord& file);
  [[nodiscard]] Expected<void> check(const FileRecord& file, const Seen& now) const;
  [[nodiscard]] Error refuse(std::string_view path, std::string_view reason, std::string_view what) const;
  [[nodiscard]] Error changed_error(const FileRecord& file, const std::string& now) const;
  std::string_view own(std::string content) {
    inverse_.contents.push_back(std::make_unique<const std::string>(std::move(content)));
    return *inverse_.contents.back();
  }

  const ChangesContext& context_;
  const HistoryStore& store_;
  const ChangeRecord& record_;
  InvertFor purpose_;
  Inverse inverse_;
};

Error Inverter::refuse(std::string_view path, std::string_view reason, std::string_view what) const {
  const bool is_undo = purpose_ == InvertFor::kUndo;
  const std::string shown = printable_path(path);
  return {ErrorCode::kConflict,
          concat(shown, what, is_undo ? " since Helve changed it" : " since Helve took it back", ", so ",
                 is_undo ? "undo" : "redo", " would lose that. Nothing was changed."),
          "Read the file as it is now and edit it instead.",
          JsonObject{{"path", shown}, {"reason", reason}, {"changeId", record_.id}}};
}

Error Inverter::changed_error(const FileRecord& file, const std::string& now) const {
  const std::string& path = file.place(SpliceSide::kNew);
  Error error = refuse(path, "changed", " was changed by someone else");
  const auto left = file.new_is_whole ? store_.fetch(file.new_bytes, record_.id)
                                      : fail(ErrorCode::kNotFound, std::string());
  if (!left || !is_text(*left) || !is_text(now) || now.size() > context_.options.largest_reported) {
    error.details["bytesThen"] = file.splice.size(SpliceSide::kNew);
    error.details["bytesNow"] = now.size();
    return error;
  }
  const UnifiedDiff diff = unified_diff(
      *left, now,
      {.old_path = path, .new_path = path, .max_lines = kMostDiffLines, .max_bytes = kMostDiffBytes});
  error.message += concat(" What is different:\n", diff.text);
  error.details["diff"] = diff.text;
  error.details["addedLines"] = diff.added_lines;
  error.details["removedLines"] = diff.removed_lines;
  if (diff.is_cut()) error.details["diffLinesLeftOut"] = diff.lines_left_out;
  return error;
}

Expected<void> Inverter::check(const FileRecord& file, const Seen& now) const {
  const std::string& path = file.place(SpliceSide::kNew);
  if (now.is_other)
    return fail(refuse(path, "changed", " was replaced by something that is no regular file"));
  if (!file.has_new()) {
    if (now.content) return fail(refuse(path, "created", " was created by someone else"));
    return {};
  }
  if (!now.content) return fail(refuse(path, "deleted", " was removed by someone else"));
  const std::string_view content = *now.content;
  if (!is_content(file, SpliceSide::kNew, std::span(&content, 1), store_.log().key()))
    return fail(changed_error(file, *now.content));
  const bool changed_mode = file.has_old() && file.old_mode != file.new_mode;
  if (changed_mode && file.new_mode != (now.status.st_mode & 07777))
    return fail(refuse(path, "mode", " got another mode by someone else"));
  if (file.kind == Kind::kMove) {
    const auto place = see_path(context_.root, file.path);
    if (!place) return fail(place.error());
    if (!place->is_absent()) return fail(refuse(file.path, "created", " was created by someone else"));
  }
  return {};
}

Expected<void> Inverter::invert(const FileRecord& file) {
  auto now = see_path(context_.root, file.place(SpliceSide::kNew));
  if (!now) return fail(now.error());
  if (auto checked = check(file, *now); !checked) return checked;
  FileChange change;
  change.path = file.place(SpliceSide::kNew);
  change.kind = file.creates() ? Kind::kRemove : file.kind == Kind::kMove ? Kind::kMove : Kind::kWrite;
  if (file.kind == Kind::kMove) change.new_path = file.path;
  if (file.in_place) change.hard_links = HardLinks::kWriteInPlace;
  RestoredFile report;
  if (now->content) {
    change.old_content = own(std::move(*now->content));
    change.expected = ExpectedState::of_content(identity_of(now->status), *change.old_content);
  }
  if (file.has_old()) {
    auto old_bytes = store_.fetch(file.old_bytes, record_.id);
    if (!old_bytes) return fail(old_bytes.error());
    const std::string_view bytes = own(std::move(*old_bytes));
    change.content = turn_content(file.splice, SpliceSide::kNew, change.old_content.value_or(""), bytes);
    if (file.old_mode != file.new_mode || !file.has_new()) change.mode = file.old_mode;
    if (file.has_new()) report.mode = change.mode;
  }
  const std::size_t most = context_.options.largest_reported;
  report.content_left_out =
      file.splice.size(SpliceSide::kOld) > most || file.splice.size(SpliceSide::kNew) > most;
  if (!report.content_left_out) {
    report.old_content = change.old_content.value_or("");
    if (change.content) report.new_content = join_pieces(*change.content);
  }
  inverse_.changes.push_back(std::move(change));
  inverse_.reports.push_back(std::move(report));
  return {};
}

Expected<Inverse> Inverter::run() {
  if (std::string reason = not_undoable_text(record_); !reason.empty())
    return fail(ErrorCode::kNotFound, concat("The bytes that were there before are not kept: ", reason, "."),
                "Take the old content from version control or a backup.",
                JsonObject{{"reason", "too_large"}, {"changeId", record_.id}});
  for (const FileRecord& file : record_.files | std::views::reverse)
    if (auto inverted = invert(file); !inverted) return fail(inverted.error());
  return std::move(inverse_);
}

}  // namespace

Expected<Inverse> invert_changes(const ChangesContext& context, const HistoryStore& store,
                                 const ChangeRecord& record, InvertFor purpose) {
  return Inverter(context, store, record, purpose).run();
}

}  // namespace helve
