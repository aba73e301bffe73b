// Atomic, crash-safe, undoable changes to one or more workspace files.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changes/atomic_write.h"
#include "effects/recorder.h"
#include "helve/error.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"
#include "workspace/root.h"

namespace helve::changes {

enum class FileAction { kUnchanged, kCreated, kChanged, kRemoved, kMoved };

// "unchanged", "created", "changed", "removed", "moved"
[[nodiscard]] std::string_view to_string(FileAction action);

// A requested change of one file.
struct FileChange {
  enum class Kind {
    kWrite,   // creates the file and its directories, or replaces its content
    kRemove,  // a regular file; symlinks are refused
    kMove,    // to an unused path on the same file system, optionally with new content
  };
  Kind kind = Kind::kWrite;
  std::string path;
  std::string new_path = {};  // kMove: the destination
  // The whole new content, in pieces. For pieces that point into the old content, the history stores only the
  // differences. nullopt keeps the content. The bytes must outlive the call.
  std::optional<std::vector<std::string_view>> content = {};
  // The file that the caller has read at `path`; anything else there is a CONFLICT.
  workspace::ExpectedState expected = workspace::ExpectedState::absent();
  // The bytes that were read there. If set, they are compared and `expected` only gives the identity; if not,
  // the file is read again. They must outlive the call.
  std::optional<std::string_view> old_content = {};
  // Permission bits: exact for an existing file, minus the umask for a new one. nullopt keeps them.
  std::optional<mode_t> mode = {};
  HardLinks hard_links = HardLinks::kRefuse;
};

// The call that makes a change, for the history.
struct ChangeOrigin {
  std::string session;
  std::string call = {};
  std::string tool = {};

  bool operator==(const ChangeOrigin&) const = default;
};

// The result for one file.
struct ChangedFile {
  FileAction action = FileAction::kUnchanged;
  std::string path;           // resolved; the former path of a removed file
  std::string old_path = {};  // kMoved only
  workspace::FileIdentity identity = {};
  bool in_place = false;  // it has several hard links, so it was overwritten and not replaced
  std::vector<std::string> not_kept = {};  // metadata that the new file could not get, as display text
};

struct Committed {
  std::vector<ChangedFile> files;  // in the order of the changes
  std::string change_id;           // empty when nothing changed or there is no history
  std::vector<std::string> created_directories = {};
  // Why the change cannot be undone ("x.bin: too large to undo …"); empty when it can.
  std::string not_undoable = {};
};

struct ChangeOptions {
  workspace::Durability durability = workspace::Durability::kFull;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of history; above it, the oldest changes are dropped
  std::size_t max_changes = 10'000;
  std::chrono::hours max_age{24 * 90};
  std::uint64_t largest_kept = std::uint64_t{256} << 20;  // removed bytes up to which a change is undoable
  std::size_t largest_reported = std::size_t{8} << 20;    // content of larger files is left out of reports
  std::chrono::milliseconds lock_wait{10'000};            // for other changes to the same files
  enum class WithoutHistory {
    kRefuse,   // fail if the state directory cannot be written, because the change could not be undone
    kProceed,  // change anyway; a crash can then leave a change of several files half done
  } without_history = WithoutHistory::kRefuse;
};

// Which changes to undo, redo, list or clear. All members that are set must match.
struct ChangeFilter {
  std::optional<std::string> session = {};
  std::optional<std::string> path = {};  // as a tool spells it; matches change sets that touch it
};

// Called for each file of a change set before undo or redo; an error stops it.
using MayChange = std::function<Expected<void>(const std::string& path)>;

// A file that undo or redo changed, with its bytes before and after for a diff.
struct RestoredFile {
  ChangedFile file;  // kRemoved when a creation is undone, kCreated when a removal is
  std::string old_content = {};
  std::string new_content = {};
  bool content_left_out = false;    // larger than ChangeOptions::largest_reported
  std::optional<mode_t> mode = {};  // the restored permission bits, if they changed
};

struct UndoStep {
  std::string change_id;  // of the change that was undone or redone
  ChangeOrigin origin;    // of that change
  std::string time;       // of that change: 2026-11-15T03:42:07.123Z
  std::vector<RestoredFile> files;
  std::vector<std::string> removed_directories = {};  // created by Helve and empty again
  std::string not_redoable = {};                      // why it cannot be redone; empty when it can
};

struct UndoReport {
  std::vector<UndoStep> steps;        // the completed steps, in order; at least one
  std::optional<Error> stopped = {};  // why fewer steps were made; each step is complete
  std::size_t undoable_left = 0;      // change sets that match the filter
  std::size_t redoable = 0;
};

enum class ChangeState {
  kApplied,
  kUndone,
  kInterrupted,  // by a crash, after which others changed its files; can be viewed but not undone
  kUnderWay,     // in another thread or process
};

// "applied", "undone", "interrupted", "under way"
[[nodiscard]] std::string_view to_string(ChangeState state);

struct HistoryFile {
  FileAction action = FileAction::kChanged;
  std::string path;           // kMoved: the destination
  std::string old_path = {};  // kMoved: the source
  std::uint64_t bytes_removed = 0;
  std::uint64_t bytes_added = 0;
  bool operator==(const HistoryFile&) const = default;
};

struct HistoryEntry {
  std::string change_id;
  std::string time;  // 2026-11-15T03:42:07.123Z
  std::string session;
  std::string call = {};
  std::string tool = {};
  std::vector<HistoryFile> files;
  ChangeState state = ChangeState::kApplied;
  bool redoable = false;          // undone, and none of its files changed since
  std::string not_undoable = {};  // why ("x.bin: too large to undo …"); empty when it can be undone
};

struct HistoryList {
  std::vector<HistoryEntry> entries;  // newest first
  std::size_t total = 0;              // that match the filter, listed or not
  std::size_t applied = 0;
  std::size_t undone = 0;
  std::size_t redoable = 0;
  std::string next_redo = {};    // id of the next change to redo; empty when there is none
  std::uint64_t bytes_used = 0;  // by the whole history of this workspace
  // "The history has a damaged record (chg_…, made by edit, of a.txt)."; whatever the filter.
  std::vector<std::string> damaged = {};
};

// One file of a change set. `before` and `after` are whole contents, or nullopt where there was no file. If
// the whole is no longer known (a large file that changed since), they hold only the changed parts,
// concatenated, and `partial` is true.
struct HistoryFileDiff {
  HistoryFile file;
  std::optional<std::string> before;
  std::optional<std::string> after;
  bool partial = false;
  bool left_out = false;  // the changed parts are too large or no longer stored
};

struct HistoryDiff {
  HistoryEntry entry;
  std::vector<HistoryFileDiff> files;
};

// The outcome for one change set that a crash had interrupted.
struct RecoveredChange {
  enum class Outcome {
    kFinished,    // all files were changed: it is committed and can be undone
    kRolledBack,  // all files have their old content
    kKeptAside,   // some files were changed by others since; see `foreign`
  };
  Outcome outcome = Outcome::kRolledBack;
  std::string change_id;
  ChangeOrigin origin;
  std::vector<std::string> paths;
  std::vector<std::string> foreign = {};  // not touched; the change stays in the history as interrupted
  std::vector<std::string> notes = {};    // what could not be cleaned up, as display text
  std::optional<Error> unsettled = {};    // why it stays pending; the next recovery tries again
};

struct RecoveryReport {
  std::vector<RecoveredChange> changes;
  [[nodiscard]] bool is_clean() const { return changes.empty(); }
};

struct ClearReport {
  std::size_t changes = 0;
  std::uint64_t bytes = 0;
};

// A line for each damaged record in a history directory, STATE/history/WORKSPACE-ID. A missing history is
// good.
[[nodiscard]] Expected<std::vector<std::string>> check_history(const std::string& directory);

class CommandChange;

// Owned by the runtime, one per workspace; the root must outlive it. Thread-safe; several processes may use
// one workspace and one state directory at the same time.
//
// The history is stored in STATE/history/WORKSPACE-ID, accessible only to the user. The id is a hash of the
// root's real path. Nothing is created before the first change.
class Changes {
 public:
  [[nodiscard]] static Expected<Changes> open(const workspace::Root& root, const std::string& state_directory,
                                              const ChangeOptions& options = {});

  // Makes all changes or none and records them as one change set. Each path may occur once. After a kill at
  // any point, recover() completes the set or rolls it back. CONFLICT when a file is not as expected; of
  // several callers that expect the same state, one succeeds. A set that changes nothing is not recorded.
  [[nodiscard]] Expected<Committed> commit(const ChangeOrigin& origin, std::span<const FileChange> changes);

  // Begins the change of a command that is about to start.
  [[nodiscard]] Expected<std::unique_ptr<CommandChange>> begin_command(
      const ChangeOrigin& origin, const effects::Budget& budget, const effects::LeftOut& left_out) const;

  // Finishes or rolls back changes that a crash interrupted; call it at startup. Ignores changes that a
  // running process is making. Costs one readdir when there is nothing to do.
  [[nodiscard]] Expected<RecoveryReport> recover();

  // Undoes the newest matching change set, then the next, `steps` times. A change set of several files is
  // undone as a whole, and only if it is the newest for each of its files. CONFLICT, with a diff in the
  // details, when a file is not as Helve left it; NOT_FOUND when there is nothing to undo.
  [[nodiscard]] Expected<UndoReport> undo(const ChangeOrigin& origin, const ChangeFilter& filter,
                                          std::size_t steps = 1, const MayChange& may_change = {});
  // Redoes the change set that was undone last. A new change to a file ends redo for the file's change sets.
  [[nodiscard]] Expected<UndoReport> redo(const ChangeOrigin& origin, const ChangeFilter& filter,
                                          std::size_t steps = 1, const MayChange& may_change = {});

  // Newest first, at most `most` entries; the counts cover all.
  [[nodiscard]] Expected<HistoryList> list(const ChangeFilter& filter, std::size_t most = 50) const;
  // The effect of one change set on each file.
  [[nodiscard]] Expected<HistoryDiff> diff(std::string_view change_id) const;
  // Removes whole change sets from the history; the files are not changed.
  [[nodiscard]] Expected<ClearReport> clear(const ChangeFilter& filter);

 private:
  Changes(const workspace::Root& root, std::string directory, const ChangeOptions& options)
      : root_(&root), directory_(std::move(directory)), options_(options) {}

  const workspace::Root* root_;
  std::string directory_;  // STATE/history/WORKSPACE-ID
  ChangeOptions options_;
};

}  // namespace helve::changes
