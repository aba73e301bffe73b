// A workspace and a state directory, for tests of changes and history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/test_directory.h"
#include "changes/changes.h"
#include "changes/history_store.h"
#include "workspace/root.h"

namespace helve::changes {

// Owned by one test. Owns the bytes that the changes point to.
class ChangesBench {
 public:
  explicit ChangesBench(const ChangeOptions& options = {.durability = workspace::Durability::kNone})
      : options_(options), root_(std::move(*workspace::Root::open(make_workspace()))) {}

  [[nodiscard]] const TestDirectory& files() const { return files_; }
  [[nodiscard]] const workspace::Root& root() const { return root_; }
  [[nodiscard]] std::string state() const { return directory_.at("state"); }
  [[nodiscard]] Changes changes() const { return std::move(*Changes::open(root_, state(), options_)); }
  [[nodiscard]] std::string history() const;

  // The change of a tool that has just read the file.
  [[nodiscard]] FileChange write(std::string path, std::string_view content);
  [[nodiscard]] FileChange remove(std::string path);
  [[nodiscard]] FileChange move(std::string path, std::string new_path,
                                std::optional<std::string_view> content = {});
  Expected<Committed> commit(std::vector<FileChange> changes, std::string session = "s1") {
    return this->changes().commit({std::move(session), "c1", "test"}, changes);
  }
  Expected<UndoReport> undo(const ChangeFilter& filter = {}, std::size_t steps = 1) {
    return changes().undo({"s1", "c2", "undo"}, filter, steps);
  }
  Expected<UndoReport> redo(const ChangeFilter& filter = {}, std::size_t steps = 1) {
    return changes().redo({"s1", "c3", "history"}, filter, steps);
  }

  // "path=content" of every file in the workspace, sorted and including leftovers. Long contents are hashed,
  // directories are "path/".
  [[nodiscard]] std::vector<std::string> tree() const;
  // Files in the history directory that should not be there: temporary files, active marks, blobs without a
  // record.
  [[nodiscard]] std::vector<std::string> leftovers() const;

 private:
  std::string make_workspace() {
    directory_.make("state");
    return files_.path();
  }
  FileChange seen(std::string path);

  TestDirectory directory_;
  TestDirectory files_;
  ChangeOptions options_;
  workspace::Root root_;
  std::vector<std::unique_ptr<const std::string>> contents_;
};

inline FileChange ChangesBench::seen(std::string path) {
  FileChange change;
  const auto file = root_.open_read(path);
  auto content = file ? workspace::read_content(*file, std::size_t{1} << 30) : fail(file.error());
  if (content) {
    contents_.push_back(std::make_unique<const std::string>(std::move(*content)));
    change.old_content = *contents_.back();
    change.expected =
        workspace::ExpectedState::of_content(workspace::identity_of(file->status), *change.old_content);
  }
  change.path = std::move(path);
  return change;
}

inline FileChange ChangesBench::write(std::string path, std::string_view content) {
  FileChange change = seen(std::move(path));
  contents_.push_back(std::make_unique<const std::string>(content));
  change.content = std::vector<std::string_view>{*contents_.back()};
  return change;
}

inline FileChange ChangesBench::remove(std::string path) {
  FileChange change = seen(std::move(path));
  change.kind = FileChange::Kind::kRemove;
  return change;
}

inline FileChange ChangesBench::move(std::string path, std::string new_path,
                                     std::optional<std::string_view> content) {
  FileChange change = content ? write(std::move(path), *content) : seen(std::move(path));
  change.kind = FileChange::Kind::kMove;
  change.new_path = std::move(new_path);
  return change;
}

inline std::vector<std::string> ChangesBench::tree() const {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(files_.path())) {
    const std::string path = entry.path().lexically_relative(files_.path()).string();
    if (entry.is_directory()) {
      all.push_back(path + "/");
      continue;
    }
    std::string content = files_.read(path);
    if (content.size() > 100) {
      content = std::to_string(content.size()) + " bytes, hash " +
                std::to_string(std::hash<std::string>()(content));
    }
    all.push_back(concat(path, "=", content));
  }
  std::sort(all.begin(), all.end());
  return all;
}

inline std::string ChangesBench::history() const {
  if (!directory_.exists("state/history")) return {};
  for (const auto& entry : std::filesystem::directory_iterator(directory_.at("state/history")))
    return entry.path().string();
  return {};
}

inline std::vector<std::string> ChangesBench::leftovers() const {
  std::vector<std::string> all;
  const std::string base = history();
  if (!std::filesystem::exists(base + "/log")) return all;
  const std::vector<std::string> fixed{"active", "blobs", "boot", "locks", "log"};
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    const std::string name = entry.path().filename();
    if (std::find(fixed.begin(), fixed.end(), name) == fixed.end()) all.push_back(name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(base + "/active"))
    all.push_back("active/" + entry.path().filename().string());
  std::vector<std::string> ids;
  const auto store = HistoryStore::open(base, HistoryLog::Missing::kRefuse, workspace::Durability::kNone);
  const auto records = store ? store->log().load() : fail(store.error());
  if (!records) return {records.error().message};
  for (const LoggedRecord& logged : *records) {
    if (logged.state == RecordState::kPending) all.push_back("pending " + logged.record.id);
    if (logged.state != RecordState::kRolledBack) ids.push_back(logged.record.id);
  }
  for (const auto& entry : std::filesystem::directory_iterator(base + "/blobs")) {
    const std::string name = entry.path().filename();
    const std::size_t dot = name.find('.');
    const bool is_owned = dot == std::string::npos
                              ? std::filesystem::hard_link_count(entry.path()) > 1
                              : std::find(ids.begin(), ids.end(), name.substr(dot + 1)) != ids.end();
    if (!is_owned) all.push_back("blobs/" + name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace helve::changes
