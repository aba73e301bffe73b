#include "cli/init/init_plan.h"

#include "base/redact.h"
#include "base/strings.h"
#include "patch/diff.h"

namespace helve::cli {
namespace {

InitStep refuse(InitStep step, const Error& problem) {
  step.kind = InitStep::Kind::kRefused;
  step.problem = problem;
  return step;
}

InitStep nothing(InitStep step, std::string note) {
  step.kind = InitStep::Kind::kNothing;
  step.note = std::move(note);
  return step;
}

// The text without Helve: exactly the original if the record allows it.
Expected<std::optional<std::string>> text_without(const McpClient& client, const ForeignFile& file,
                                                  const InitRecord* record) {
  const auto structural = remove_helve(client, file.text, file.path);
  if (!structural) return fail(structural.error());
  if (!*structural) return std::nullopt;
  if (record != nullptr)
    for (const std::string& candidate : record->undone(file.text)) {
      if (say_the_same(client, candidate, (*structural)->apply(file.text))) return candidate;
    }
  return (*structural)->apply(file.text);
}

}  // namespace

std::string InitStep::diff() const {
  const std::string path = shown_file.starts_with('/') ? shown_file.substr(1) : shown_file;
  return redact_text(patch::unified_diff(file.text, after,
                                         {.old_path = file.exists ? path : std::string_view(),
                                          .new_path = removes_file ? std::string_view() : path})
                         .text);
}

Expected<void> InitStep::apply(InitRecords& records) const {
  if (removes_file) {
    if (auto removed = file.remove(directories); !removed) return fail(removed.error());
    return records.forget(file.path);
  }
  auto made = file.replace(after, new_file_mode);
  if (!made) return fail(made.error());
  if (kind == InitStep::Kind::kRemove) return records.forget(file.path);
  return records.keep(
      {.file = file.path, .splice = splice, .created = !file.exists, .directories = *std::move(made)});
}

InitStep plan_client(const McpClient& client, const std::string& path, const Places& places) {
  InitStep step{.name = client.name, .title = client.title, .shown_file = path};
  // Project files get normal permissions, like the rest of the project.
  if (path.starts_with(places.workspace + "/") && path == client.project_file) step.new_file_mode = 0666;
  auto file = ForeignFile::load(path);
  if (!file) return refuse(std::move(step), file.error());
  step.file = *std::move(file);
  auto splice = add_helve(client, step.file.text, path);
  if (!splice) return refuse(std::move(step), splice.error());
  if (!*splice) return nothing(std::move(step), "is already there");
  step.kind = InitStep::Kind::kAdd;
  step.splice = **std::move(splice);
  step.after = step.splice.apply(step.file.text);
  return step;
}

InitStep plan_client_removal(const McpClient& client, const std::string& path, const InitRecords& records) {
  InitStep step{.name = client.name, .title = client.title, .shown_file = path};
  auto file = ForeignFile::load(path);
  if (!file) return refuse(std::move(step), file.error());
  step.file = *std::move(file);
  if (!step.file.exists) return nothing(std::move(step), "is not there");
  const InitRecord* record = records.find(step.file.path);
  const auto text = text_without(client, step.file, record);
  if (!text) return refuse(std::move(step), text.error());
  if (!*text) return nothing(std::move(step), "is not there");
  step.kind = InitStep::Kind::kRemove;
  step.after = **text;
  if (record != nullptr && record->created && step.after.empty()) {
    step.removes_file = true;
    step.directories = record->directories;
  }
  return step;
}

InitStep plan_settings(const std::string& path, std::string text) {
  InitStep step{.name = "settings", .title = "this folder", .shown_file = path, .new_file_mode = 0666};
  auto file = ForeignFile::load(path);
  if (!file) return refuse(std::move(step), file.error());
  step.file = *std::move(file);
  if (step.file.exists) return nothing(std::move(step), "already has settings; they stay unchanged");
  step.kind = InitStep::Kind::kAdd;
  step.splice = {0, "", text};
  step.after = std::move(text);
  return step;
}

InitStep plan_settings_removal(const std::string& path, const InitRecords& records) {
  InitStep step{.name = "settings", .title = "this folder", .shown_file = path};
  auto file = ForeignFile::load(path);
  if (!file) return refuse(std::move(step), file.error());
  step.file = *std::move(file);
  if (!step.file.exists) return nothing(std::move(step), "has no settings");
  const InitRecord* record = records.find(step.file.path);
  if (record == nullptr || step.file.text != record->splice.inserted)
    return nothing(std::move(step), "has settings that were changed or not written by helve init; they stay");
  step.kind = InitStep::Kind::kRemove;
  step.removes_file = true;
  step.directories = record->directories;
  return step;
}

}  // namespace helve::cli
