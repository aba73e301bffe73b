#include "toolkit/undo_preview.h"

#include <algorithm>

#include "base/strings.h"
#include "core/engines.h"
#include "patch/change_report.h"
#include "toolkit/file_rules.h"
#include "toolkit/undo_report.h"

namespace helve::toolkit {
namespace {

constexpr std::size_t kMostListed = 1000;

enum class Direction { kBack, kAgain };

// The effect on the files of undoing or redoing the change.
patch::ChangeReport add_report(const changes::HistoryFileDiff& file, Direction direction,
                               RestoredTexts& texts) {
  struct Side {
    std::string_view path;
    std::string_view content;
  };
  const std::string& path = file.file.path;
  Side before{file.before ? std::string_view(file.file.old_path.empty() ? path : file.file.old_path) : "",
              file.before ? std::string_view(*file.before) : ""};
  Side after{file.after ? std::string_view(path) : "", file.after ? std::string_view(*file.after) : ""};
  if (direction == Direction::kBack) std::swap(before, after);
  patch::ChangeReport report = patch::report_change({before.path, after.path}, before.content, after.content);
  texts.add(path, before.content, after.content, report);
  return report;
}

// Adds a change to the output of a dry run.
void add_change(const Context& context, const changes::HistoryEntry& entry, Direction direction,
                Output& output, RestoredTexts& texts) {
  output.content += entry_line(entry);
  output.data["steps"].as_array().emplace_back(entry_json(entry));
  const auto diff = context.engines().changes->diff(entry.change_id);
  if (!diff) {
    output.diff_is_whole = false;
    return;
  }
  for (const changes::HistoryFileDiff& file : diff->files) {
    const bool readable = check_readable(context, file.file.path).has_value();
    if (file.left_out || file.partial || !readable || !file.file.old_path.empty())
      output.diff_is_whole = false;
    if (file.left_out || !readable) continue;
    const patch::ChangeReport report = add_report(file, direction, texts);
    output.diff_is_whole = output.diff_is_whole && report.is_whole;
    output.content += report.diff;
  }
}

Output empty_preview() {
  return {.data = JsonObject{{"steps", JsonArray()}, {"dryRun", true}}, .diff_is_whole = true};
}

Error nothing_there(std::string_view verb, const changes::ChangeFilter& filter) {
  return {ErrorCode::kNotFound,
          concat("There is nothing to ", verb,
                 filter.path ? concat(" for ", *filter.path) : " in this session", "."),
          "history shows what Helve changed."};
}

}  // namespace

Result what_would_be_undone(const Context& context, const changes::ChangeFilter& filter, std::size_t steps) {
  const auto list = context.engines().changes->list(filter, kMostListed);
  if (!list) return fail(list.error());
  Output output = empty_preview();
  std::size_t count = 0;
  RestoredTexts texts;
  for (const changes::HistoryEntry& entry : list->entries) {
    if (entry.state != changes::ChangeState::kApplied || count == steps) continue;
    add_change(context, entry, Direction::kBack, output, texts);
    ++count;
  }
  texts.write(output.data);
  if (count == 0) return fail(nothing_there("undo", filter));
  output.summary = concat("Dry run: would undo ", count_of(count, "change"));
  output.data["undoableLeft"] = list->applied - std::min(list->applied, count);
  return output;
}

Result what_would_be_redone(const Context& context, const changes::ChangeFilter& filter) {
  const auto list = context.engines().changes->list(filter, kMostListed);
  if (!list) return fail(list.error());
  if (list->next_redo.empty()) return fail(nothing_there("redo", filter));
  const auto next = context.engines().changes->diff(list->next_redo);
  if (!next) return fail(next.error());
  Output output = empty_preview();
  RestoredTexts texts;
  add_change(context, next->entry, Direction::kAgain, output, texts);
  texts.write(output.data);
  output.summary = "Dry run: would make 1 change again";
  return output;
}

Result what_would_be_forgotten(const Context& context, const changes::ChangeFilter& filter) {
  const auto list = context.engines().changes->list(filter, kMostListed);
  if (!list) return fail(list.error());
  if (list->total == 0) return fail(nothing_there("forget", filter));
  const std::string whose =
      filter.path ? concat(" of ", *filter.path, ", by any session") : " of this session";
  Output output{.summary = concat("Dry run: would forget ", count_of(list->total, "change"), whose, "; ",
                                  list->applied, " that can be undone now could not be any more"),
                .diff_is_whole = true};
  JsonArray steps;
  for (const changes::HistoryEntry& entry : list->entries) {
    output.content += entry_line(entry);
    steps.emplace_back(entry_json(entry));
  }
  output.data = JsonObject{{"steps", std::move(steps)}, {"changes", list->total}, {"dryRun", true}};
  return output;
}

}  // namespace helve::toolkit
