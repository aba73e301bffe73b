#include "toolkit/undo_report.h"

#include "base/strings.h"
#include "core/engines.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "patch/change_report.h"
#include "toolkit/file_rules.h"

namespace helve::toolkit {
namespace {

std::string_view before_path(const changes::ChangedFile& file) {
  if (file.action == changes::FileAction::kCreated) return {};
  return file.old_path.empty() ? std::string_view(file.path) : std::string_view(file.old_path);
}

std::string_view after_path(const changes::ChangedFile& file) {
  return file.action == changes::FileAction::kRemoved ? std::string_view() : std::string_view(file.path);
}

JsonObject file_json(const changes::HistoryFile& file) {
  JsonObject json{{"path", file.path}, {"action", changes::to_string(file.action)}};
  if (!file.old_path.empty()) json.append("oldPath", file.old_path);
  return json;
}

constexpr std::size_t kMostShownFiles = 200;

// A command can change thousands of files.
constexpr std::size_t kMostNamed = 20;

std::string enumerate_some(std::vector<std::string> names) {
  const std::size_t count = names.size();
  if (count > kMostNamed) {
    names.resize(kMostNamed);
    names.push_back(concat(with_thousands(count - kMostNamed), " more"));
  }
  return enumerate(names);
}

}  // namespace

JsonObject RestoredTexts::add(std::string_view path, std::string_view old_text, std::string_view new_text,
                              const patch::ChangeReport& change) {
  const std::size_t old_length = patch::text_length(old_text);
  const std::size_t new_length = patch::text_length(new_text);
  old_length_ += old_length;
  new_length_ += new_length;
  diff_ += change.diff;
  if (!change.snippet.empty()) snippets_.emplace_back(path, change.snippet);
  return {{"oldTextLength", old_length}, {"newTextLength", new_length}};
}

void RestoredTexts::write(Json& data) const {
  std::string snippet;
  for (const auto& [path, lines] : snippets_)
    snippet += snippets_.size() > 1 ? concat(path, ":\n", lines) : lines;
  data["oldTextLength"] = old_length_;
  data["newTextLength"] = new_length_;
  data["diff"] = diff_;
  data["snippet"] = std::move(snippet);
}

std::string files_text(const changes::HistoryEntry& entry) {
  std::vector<std::string> names;
  for (const changes::HistoryFile& file : entry.files)
    names.push_back(concat(file.path, " ", changes::to_string(file.action)));
  return enumerate_some(names);
}

JsonObject entry_json(const changes::HistoryEntry& entry) {
  JsonArray files;
  for (const changes::HistoryFile& file : entry.files) files.emplace_back(file_json(file));
  return {{"id", entry.change_id},
          {"time", entry.time},
          {"session", entry.session},
          {"tool", entry.tool},
          {"state", changes::to_string(entry.state)},
          {"files", std::move(files)}};
}

std::string entry_line(const changes::HistoryEntry& entry) {
  std::string line = concat(entry.time, "  ", entry.tool, "  ", files_text(entry));
  if (entry.state != changes::ChangeState::kApplied)
    line += concat("  (", changes::to_string(entry.state), ")");
  if (!entry.not_undoable.empty()) line += concat("  (cannot be undone: ", entry.not_undoable, ")");
  return line + "\n";
}

changes::ChangeFilter filter_for(const Context& context, const std::optional<std::string>& path) {
  if (path) return {.path = path};
  return {.session = context.session().id()};
}

std::string newer_changes_of_others(const Context& context) {
  const auto list = context.engines().changes->list({}, 200);
  if (!list) return {};
  const changes::HistoryEntry* newest = nullptr;
  std::size_t count = 0;
  for (const changes::HistoryEntry& entry : list->entries) {
    if (entry.state != changes::ChangeState::kApplied || entry.files.empty()) continue;
    if (entry.session == context.session().id()) break;
    if (newest == nullptr) newest = &entry;
    ++count;
  }
  if (newest == nullptr) return {};
  return concat("(Other sessions made ", count_of(count, "newer change"), " here, last ", newest->tool,
                " at ", newest->time, ": ", files_text(*newest), ". Left as it is; undo with the path ",
                newest->files.front().path, " takes that back.)\n");
}

Result describe_undo(const Context& context, const changes::UndoReport& report, std::string_view verb) {
  Output output;
  JsonArray steps;
  RestoredTexts texts;
  std::vector<std::string> names;
  for (const changes::UndoStep& step : report.steps) {
    output.content += concat(verb, " what ", step.origin.tool, " did at ", step.time, ":\n");
    JsonArray files;
    for (const changes::RestoredFile& restored : step.files) {
      const changes::ChangedFile& file = restored.file;
      names.push_back(concat(file.path, " ", changes::to_string(file.action)));
      output.affected_paths.push_back(file.path);
      if (!file.old_path.empty()) output.affected_paths.push_back(file.old_path);
      if (names.size() <= kMostShownFiles)
        output.content += concat(file.path, " ", changes::to_string(file.action), "\n");
      session_state(context).read_log.forget(file.path);
      JsonObject about{{"path", file.path}, {"action", changes::to_string(file.action)}};
      if (restored.content_left_out) {
        output.content += "(too large for a diff)\n";
      } else {
        const patch::ChangeReport change = patch::report_change({before_path(file), after_path(file)},
                                                                restored.old_content, restored.new_content);
        output.content += change.diff;
        for (auto& [key, value] : texts.add(file.path, restored.old_content, restored.new_content, change))
          about.append(key, std::move(value));
      }
      files.emplace_back(std::move(about));
    }
    if (!step.not_redoable.empty())
      output.content += concat("It cannot be made again: ", step.not_redoable, "\n");
    steps.push_back(JsonObject{{"id", step.change_id},
                               {"tool", step.origin.tool},
                               {"time", step.time},
                               {"files", std::move(files)}});
  }
  if (report.stopped) output.content += concat("Stopped there: ", report.stopped->message, "\n");
  output.summary = concat(verb, " ", count_of(report.steps.size(), "change"), ": ", enumerate_some(names));
  output.data = JsonObject{
      {"steps", std::move(steps)}, {"undoableLeft", report.undoable_left}, {"redoable", report.redoable}};
  texts.write(output.data);
  return output;
}

Result describe_list(const Expected<changes::HistoryList>& list) {
  if (!list) return fail(list.error());
  Output output{.summary = concat(count_of(list->total, "change"), ", ", list->applied, " can be undone, ",
                                  list->redoable, " can be redone")};
  JsonArray entries;
  for (const changes::HistoryEntry& entry : list->entries) {
    output.content += entry_line(entry);
    entries.emplace_back(entry_json(entry));
  }
  if (list->entries.empty()) output.content = "No changes.\n";
  JsonArray damaged;
  for (const std::string& line : list->damaged) {
    output.content += concat(line, " Older changes may not be undoable.\n");
    damaged.emplace_back(line);
  }
  output.truncated = list->entries.size() < list->total;
  if (output.truncated) output.content += concat("… ", list->total - list->entries.size(), " older ones\n");
  output.data =
      JsonObject{{"entries", std::move(entries)}, {"total", list->total},       {"applied", list->applied},
                 {"undone", list->undone},        {"redoable", list->redoable}, {"bytes", list->bytes_used}};
  if (!damaged.empty()) output.data["damaged"] = std::move(damaged);
  return output;
}

changes::MayChange may_change(const Context& context) {
  return [&context](const std::string& path) { return check_editable(context, path); };
}

Result describe_last_change(const Context& context, const changes::ChangeFilter& filter) {
  const changes::Changes& changes = *context.engines().changes;
  const auto list = changes.list(filter, 1);
  if (!list) return fail(list.error());
  if (list->entries.empty())
    return fail(ErrorCode::kNotFound, "There are no changes to show.", "history lists what was changed.");
  const changes::HistoryEntry& newest = list->entries.front();
  for (const changes::HistoryFile& file : newest.files)
    for (const std::string* path : {&file.path, &file.old_path})
      if (auto readable = check_readable(context, *path); !path->empty() && !readable)
        return fail(readable.error());
  const auto diff = changes.diff(newest.change_id);
  if (!diff) return fail(diff.error());
  Output output{.summary = concat("The last change: ", files_text(newest)), .content = entry_line(newest)};
  for (const changes::HistoryFileDiff& file : diff->files) {
    if (file.left_out) {
      output.content += concat(file.file.path, ": no longer kept or too large\n");
      continue;
    }
    if (file.partial) output.content += concat(file.file.path, " (only the changed parts are known):\n");
    const std::string_view old_path =
        file.file.old_path.empty() ? std::string_view(file.file.path) : std::string_view(file.file.old_path);
    output.content +=
        patch::report_change({file.before ? old_path : std::string_view(),
                              file.after ? std::string_view(file.file.path) : std::string_view()},
                             file.before.value_or(""), file.after.value_or(""))
            .diff;
  }
  output.data = entry_json(newest);
  return output;
}

}  // namespace helve::toolkit
