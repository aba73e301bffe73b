// Changes to the workspace's files, one or many at a time, all or nothing, that survive a crash and can be
// undone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/atomic_write.h"
#include "workspace/durability.h"
#include "workspace/file_state.h"
#include "workspace/history_entry.h"
#include "workspace/root.h"

namespace helve {

// One change of one file, as a tool wants it.
struct FileChange {
  enum class Kind {
    kWrite,   // creates the file, with the directories it needs, or replaces its content
    kRemove,  // a regular file; symbolic links are refused
    kMove,    // to a path that is free, on the same file system, perhaps with new content
  };
  Kind kind = Kind::kWrite;
  std::string path;
  std::string new_path = {};  // kMove: where to
  // The whole new content, in pieces that may point into the old one: then only what lies between them is
  // stored in the history. Nothing: the content stays as it is. The bytes must outlive the call.
  std::optional<std::vector<std::string_view>> content = {};
  // What the caller has seen at `path` and builds on; anything else there is a CONFLICT.
  ExpectedState expected = ExpectedState::absent();
  // The bytes that were read there. Then they are what is compared, and `expected` gives the identity alone.
  // Nothing: the file is read again. They must outlive the call.
  std::optional<std::string_view> old_content = {};
  // Permission bits: exactly these for a file that exists, less the umask for a new one. Nothing: kept.
  std::optional<mode_t> mode = {};
  HardLinks hard_links = HardLinks::kRefuse;
};

// Who makes a change, for the history.
struct ChangeOrigin {
  std::string session;
  std::string call = {};
  std::string tool = {};

  bool operator==(const ChangeOrigin&) const = default;
};

// What became of one file.
struct ChangedFile {
  FileAction action = FileAction::kUnchanged;
  std::string path;           // resolved: where the file is now, or was when it was removed
  std::string old_path = {};  // kMoved: where it was
  FileIdentity identity = {};
  bool in_place = false;                   // it has several names (hard links), so it was not replaced
  std::vector<std::string> not_kept = {};  // metadata that the new file could not get, in words
};

struct Committed {
  std::vector<ChangedFile> files;  // in the order of the changes
  std::string change_id;           // empty when nothing changed, or when there is no history
  std::vector<std::string> created_directories = {};
  // Why undo will not be able to take it back ("x.bin: too large to undo …"); empty when it will.
  std::string not_undoable = {};
};

struct ChangeOptions {
  Durability durability = Durability::kFull;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of the history; beyond, the oldest changes are dropped
  std::size_t max_changes = 10'000;
  std::chrono::hours max_age{24 * 90};
  std::uint64_t largest_kept = std::uint64_t{256} << 20;  // bytes that one change takes away, to be undoable
  std::size_t largest_reported = std::size_t{8} << 20;  // files beyond: their content is left out of reports
  std::chrono::milliseconds lock_wait{10'000};          // for other changes of the same files
  enum class WithoutHistory {
    kRefuse,  // no change that could not be undone because the state directory cannot be written
    kGoOn,    // change all the same; several files are then not safe against a crash
  } without_history = WithoutHistory::kRefuse;
};

// Which changes to undo, redo, list or forget. With both given, both must fit; with none, all do.
struct ChangeFilter {
  std::optional<std::string> session = {};
  std::optional<std::string> path = {};  // as a tool names it; change sets that touch it
};

// Asked about each file of a change set before it is taken back or made again; an error leaves it as it is.
using MayChange = std::function<Expected<void>(const std::string& path)>;

// A file that undo or redo changed, with its bytes before and after for a diff.
struct RestoredFile {
  ChangedFile file;  // undo of a creation: kRemoved; of a removal: kCreated
  std::string old_content = {};
  std::string new_content = {};
  bool content_left_out = false;    // larger than ChangeOptions::largest_reported
  std::optional<mode_t> mode = {};  // the permission bits, where they changed back
};

struct UndoStep {
  std::string change_id;  // of the change that was taken back or made again
  ChangeOrigin origin;    // who made it
  std::string time;       // and when: 2026-11-15T03:42:07.123Z
  std::vector<RestoredFile> files;
  std::vector<std::string> removed_directories = {};  // that Helve had created and that were empty again
  std::string not_redoable = {};  // why history redo will not bring it back; empty when it will
};

struct UndoReport {
  std::vector<UndoStep> steps;        // those that were done, in order; at least one
  std::optional<Error> stopped = {};  // why fewer than asked for; each step is whole, never half
  std::size_t undoable_left = 0;      // change sets of the same filter
  std::size_t redoable = 0;
};

// What became of one change set that a crash had interrupted.
struct RecoveredChange {
  enum class Outcome {
    kFinished,    // all files had been changed: it counts as made and can be undone
    kRolledBack,  // none is changed any more
    kKeptAside,   // somebody else changed some of the files since; see `foreign`
  };
  Outcome outcome = Outcome::kRolledBack;
  std::string change_id;
  ChangeOrigin origin;
  std::vector<std::string> paths;
  std::vector<std::string> foreign = {};  // left as they are; the change stays in the history as interrupted
  std::vector<std::string> notes = {};    // what could not be cleaned up, in words
};

struct RecoveryReport {
  std::vector<RecoveredChange> changes;
  [[nodiscard]] bool is_clean() const { return changes.empty(); }
};

struct ClearReport {
  std::size_t changes = 0;
  std::uint64_t bytes = 0;
};

// Owned by the runtime, one per workspace; the root must outlive it. All functions may be called from all
// threads, and several processes may work on one workspace and one state directory at once.
//
// The history lies in STATE/history/WORKSPACE-ID, readable by the user alone, where the id is a hash of the
// root's real path. Nothing is created before the first change.
class Changes {
 public:
  [[nodiscard]] static Expected<Changes> open(const Root& root, const std::string& state_directory,
                                              const ChangeOptions& options = {});

  // Makes all changes or none and records them as one change set. Each path may occur once. After a kill at
  // any instant, recover() leaves all of it or nothing. CONFLICT when a file is not as expected; of several
  // callers that expect the same state, one succeeds. A set that changes nothing is not recorded.
  [[nodiscard]] Expected<Committed> commit(const ChangeOrigin& origin, std::span<const FileChange> changes);

  // Finishes or takes back what a crash interrupted; to be called at start. Changes that a living process is
  // working on are left alone. Costs one readdir when there is nothing to do.
  [[nodiscard]] Expected<RecoveryReport> recover();

  // Takes back the newest change set that fits and was not undone yet, then the next, `steps` times. A change
  // set of several files is taken back as a whole, and only if it is the newest for each of its files.
  // CONFLICT, with a diff in the details, when a file is not what Helve left there; NOT_FOUND when there is
  // nothing to undo. What a change created is removed, what it removed comes back, moves go back.
  [[nodiscard]] Expected<UndoReport> undo(const ChangeOrigin& origin, const ChangeFilter& filter,
                                          std::size_t steps = 1, const MayChange& may_change = {});
  // Makes the change set again that was undone last. A new change of a file ends redo for that file's sets.
  [[nodiscard]] Expected<UndoReport> redo(const ChangeOrigin& origin, const ChangeFilter& filter,
                                          std::size_t steps = 1, const MayChange& may_change = {});

  // Newest first, at most `most` entries; the counts are of all.
  [[nodiscard]] Expected<HistoryList> list(const ChangeFilter& filter, std::size_t most = 50) const;
  // What one change set did to each file.
  [[nodiscard]] Expected<HistoryDiff> diff(std::string_view change_id) const;
  // Forgets changes, as whole sets; the files stay as they are.
  [[nodiscard]] Expected<ClearReport> clear(const ChangeFilter& filter);

 private:
  Changes(const Root& root, std::string directory, const ChangeOptions& options)
      : root_(&root), directory_(std::move(directory)), options_(options) {}

  const Root* root_;
  std::string directory_;  // STATE/history/WORKSPACE-ID
  ChangeOptions options_;
};

}  // namespace helve
