#include "changes/changes_commit.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/clock.h"
#include "base/strings.h"
#include "changes/atomic_write.h"
#include "changes/changes_plan.h"
#include "changes/changes_record.h"
#include "changes/file_move.h"
#include "changes/history_store.h"
#include "changes/journal_locks.h"
#include "changes/journal_recover.h"
#include "changes/locked_file.h"
#include "workspace/file_write.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using Kind = FileChange::Kind;

struct ApplyOptions {
  workspace::Durability durability = workspace::Durability::kFull;
  std::chrono::milliseconds lock_wait{10'000};
};

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Expected<workspace::WriteTarget> open_target(const workspace::Root& root, const ResolvedPlace& place,
                                             workspace::Durability durability,
                                             std::vector<std::string>& created_directories) {
  if (!place.missing_directories.empty()) {
    auto created = root.make_directories(parent_of(place.path), durability);
    if (!created) return fail(created.error());
    created_directories.insert(created_directories.end(), created->begin(), created->end());
  }
  return open_place(root, place.path);
}

WriteOptions write_options(const PlannedFile& planned, std::string_view temporary,
                           const ApplyOptions& options) {
  WriteOptions write;
  write.durability = options.durability;
  write.hard_links = planned.hard_links;
  write.lock_wait = options.lock_wait;
  write.temporary_name = temporary;
  if (planned.status || planned.new_file_mode == NewFileMode::kExactly) {
    write.mode = planned.mode;
  } else if (planned.mode) {
    write.new_file_mode = *planned.mode;
  }
  return write;
}

ChangedFile changed_file(const PlannedFile& planned, FileAction action, WriteOutcome outcome) {
  ChangedFile file;
  file.action = action;
  file.path = planned.places.to ? planned.places.to->path : planned.places.from.path;
  if (planned.places.to) file.old_path = planned.places.from.path;
  file.identity = outcome.identity;
  file.in_place = outcome.in_place;
  file.not_kept = std::move(outcome.not_kept);
  if (!outcome.left_over.empty())
    file.not_kept.push_back(
        concat("the temporary file ", outcome.left_over, " next to it could not be removed"));
  return file;
}

// Changes one file. `temporary` names a file that exists next to it for a moment. On an error the file is
// unchanged, except for OUTCOME_UNKNOWN and for a move, which may have been made without its new content.
Expected<ChangedFile> apply_file(const workspace::Root& root, const PlannedFile& planned,
                                 std::string_view temporary, const ApplyOptions& options,
                                 std::vector<std::string>& created_directories) {
  if (planned.changes_nothing())
    return changed_file(planned, FileAction::kUnchanged,
                        {.identity = workspace::identity_of(*planned.status)});
  const auto from = open_target(root, planned.places.from, options.durability, created_directories);
  if (!from) return fail(from.error());
  const MoveOptions move{options.durability, options.lock_wait, temporary};
  if (planned.kind == Kind::kRemove) {
    if (auto removed = remove_file(*from, planned.expected, move); !removed) return fail(removed.error());
    return changed_file(planned, FileAction::kRemoved, {});
  }
  const WriteOptions write = write_options(planned, temporary, options);
  if (planned.kind == Kind::kWrite) {
    auto written = atomic_write(*from, planned.content, planned.expected, write);
    if (!written) return fail(written.error());
    return changed_file(planned, planned.status ? FileAction::kChanged : FileAction::kCreated,
                        std::move(*written));
  }
  const auto to = open_target(root, *planned.places.to, options.durability, created_directories);
  if (!to) return fail(to.error());
  const auto renamed = rename_file(*from, *to, planned.expected, move);
  if (!renamed) return fail(renamed.error());
  if (planned.splice.parts.empty() && !planned.mode)
    return changed_file(planned, FileAction::kMoved, {.identity = *renamed});
  auto written = atomic_write(*to, planned.content,
                              workspace::ExpectedState::of_content(*renamed, planned.old_content), write);
  if (!written) return fail(written.error());
  return changed_file(planned, FileAction::kMoved, std::move(*written));
}

// Syncs each directory of the changed files once.
Expected<void> sync_directories_of(const workspace::Root& root, std::span<const PlannedFile> files) {
  std::set<std::string> directories;
  for (const PlannedFile& file : files) {
    if (file.changes_nothing()) continue;
    directories.insert(parent_of(file.places.from.path));
    if (file.places.to) directories.insert(parent_of(file.places.to->path));
  }
  for (const std::string& path : directories) {
    const auto directory = root.open_directory(path);
    if (!directory) return fail(directory.error());
    if (const int error = workspace::sync_directory(directory->fd.get()); error != 0)
      return fail(workspace::write_error("write the directory", path, error));
  }
  return {};
}

// One running change set. Owned by one thread.
class Commit {
 public:
  Commit(const ChangesContext& context, const ChangeSet& set)
      : context_(context), set_(set), key_(FingerprintKey::random_seed()) {}

  Expected<Committed> run();

 private:
  [[nodiscard]] bool may_proceed() const {
    return context_.options.without_history == ChangeOptions::WithoutHistory::kProceed;
  }
  Expected<void> open_history(const std::vector<ChangePlaces>& places);
  Expected<void> plan(std::vector<ChangePlaces> places);
  Expected<void> begin();
  Expected<void> begin_in_history();
  Expected<void> apply(Committed& committed);
  Error roll_back(Error error, std::size_t touched, const std::vector<std::string>& created_directories);
  Error note_rollback(Error error, const Settled& settled);
  void end(RecordState state);

  const ChangesContext& context_;
  const ChangeSet& set_;
  FingerprintKey key_;
  std::optional<HistoryStore> store_;
  std::optional<PathLocks> locks_;
  std::vector<PlannedFile> files_;
  std::vector<const PlannedFile*> changing_;  // the files that really change
  std::optional<ActiveMark> mark_;
  std::optional<HistoryLog::Position> position_;
  ChangeRecord record_;
};

Expected<void> Commit::open_history(const std::vector<ChangePlaces>& places) {
  auto store =
      HistoryStore::open(context_.directory, HistoryLog::Missing::kCreate, context_.options.durability);
  if (!store && may_proceed()) return {};
  if (!store) {
    Error error = store.error();
    error.message += " Nothing was changed, because it could not be undone.";
    return fail(std::move(error));
  }
  store_ = std::move(*store);
  key_ = store_->log().key();
  std::vector<std::string> paths;
  for (const ChangePlaces& place : places) {
    paths.push_back(place.from.path);
    if (place.to) paths.push_back(place.to->path);
  }
  auto locks = lock_settled(context_, *store_, paths);
  if (!locks) return fail(locks.error());
  locks_ = std::move(*locks);
  return {};
}

Expected<void> Commit::plan(std::vector<ChangePlaces> places) {
  const NewFileMode mode = set_.role == RecordRole::kChange ? NewFileMode::kLessUmask : NewFileMode::kExactly;
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto planned = plan_file(context_.root, set_.changes[i], std::move(places[i]), mode);
    if (!planned) return fail(planned.error());
    files_.push_back(std::move(*planned));
  }
  for (const PlannedFile& file : files_)
    if (!file.changes_nothing()) changing_.push_back(&file);
  return {};
}

Expected<void> Commit::begin_in_history() {
  const std::string id = random_id("chg");
  auto mark = ActiveMark::create(store_->active_directory(), id);
  if (!mark) return fail(mark.error());
  mark_.emplace(std::move(*mark));
  auto recorded = record_changes(&*store_, key_, set_, id, changing_, context_.options);
  if (!recorded) {
    mark_->finish();
    return fail(recorded.error());
  }
  record_ = std::move(recorded->record);
  const auto position = store_->log().append(record_, recorded->added_bytes, context_.options.durability);
  if (!position) {
    end(RecordState::kRolledBack);
    return fail(position.error());
  }
  position_ = *position;
  return {};
}

Expected<void> Commit::begin() {
  if (store_) {
    auto begun = begin_in_history();
    if (begun) return {};
    if (!may_proceed()) {
      begun.error().message += " Nothing was changed.";
      return begun;
    }
    store_.reset();
  }
  auto recorded = record_changes(nullptr, key_, set_, {}, changing_, context_.options);
  if (!recorded) return fail(recorded.error());
  record_ = std::move(recorded->record);
  return {};
}

void Commit::end(RecordState state) {
  if (!store_ || !mark_) return;
  const auto noted = store_->log().mark(position_.value_or(HistoryLog::Position{}), record_.id, state);
  // If that failed, keep the mark: recovery then determines the outcome.
  if (!noted) return;
  if (state == RecordState::kRolledBack) store_->release(record_);
  if (state == RecordState::kCommitted) store_->release_temporary(record_);
  mark_->finish();
}

Error Commit::note_rollback(Error error, const Settled& settled) {
  switch (settled.outcome) {
    case RecoveredChange::Outcome::kRolledBack:
      end(RecordState::kRolledBack);
      if (!says_nothing_was_written(error)) error.message += " All files are as they were before.";
      return error;
    case RecoveredChange::Outcome::kFinished: end(RecordState::kCommitted); return error;
    case RecoveredChange::Outcome::kKeptAside: break;
  }
  end(RecordState::kKeptAside);
  std::vector<std::string> foreign;
  for (const std::string& path : settled.foreign) foreign.push_back(workspace::printable_path(path));
  error.message +=
      concat(" The other files are as they were before, but ", enumerate(foreign),
             foreign.size() == 1 ? " was" : " were", " changed by someone else meanwhile and left alone.");
  return error;
}

// The first `touched` files may have been changed.
Error Commit::roll_back(Error error, std::size_t touched,
                        const std::vector<std::string>& created_directories) {
  const bool is_unknown = error.code == ErrorCode::kOutcomeUnknown;
  if (touched == 0) {
    context_.root.remove_directories(created_directories);
    end(RecordState::kRolledBack);
    return error;
  }
  const SettleContext settling{context_.root, key_,
                               [&](const KeptBytes& kept) -> Expected<std::string> {
                                 if (store_) return store_->fetch(kept, record_.id);
                                 return kept.bytes;
                               },
                               context_.options.durability};
  const SettleGoal goal =
      is_unknown && record_.files.size() == 1 ? SettleGoal::kFinishOrRollBack : SettleGoal::kRollBack;
  const auto settled = settle(settling, record_, goal, touched);
  if (settled) return note_rollback(std::move(error), *settled);
  return {ErrorCode::kOutcomeUnknown,
          concat(error.message, " Rolling back the other changes also failed: ", settled.error().message),
          store_ ? "Helve tries again at its next start. Check the files before you continue."
                 : "Check the files before you continue.",
          std::move(error.details)};
}

Expected<void> Commit::apply(Committed& committed) {
  // With several files, each directory is synced once at the end. Until then the journal makes the set safe.
  const bool is_alone = changing_.size() == 1;
  ApplyOptions options{context_.options.durability, context_.options.lock_wait};
  if (!is_alone && options.durability == workspace::Durability::kFull)
    options.durability = workspace::Durability::kFile;
  std::size_t done = 0;
  for (const PlannedFile& file : files_) {
    const bool is_changing = !file.changes_nothing();
    const std::string_view temporary = is_changing ? record_.files[done].temporary : std::string_view();
    auto changed = apply_file(context_.root, file, temporary, options, committed.created_directories);
    if (!changed) {
      const bool may_be_half = file.kind == Kind::kMove || changed.error().code == ErrorCode::kOutcomeUnknown;
      return fail(roll_back(changed.error(), done + (may_be_half ? 1 : 0), committed.created_directories));
    }
    committed.files.push_back(std::move(*changed));
    done += is_changing ? 1 : 0;
  }
  if (!is_alone && context_.options.durability == workspace::Durability::kFull) {
    if (auto synced = sync_directories_of(context_.root, files_); !synced)
      return fail(roll_back(synced.error(), done, committed.created_directories));
  }
  return {};
}

Expected<Committed> Commit::run() {
  auto places = resolve_places(context_.root, set_.changes);
  if (!places) return fail(places.error());
  if (auto opened = open_history(*places); !opened) return fail(opened.error());
  if (auto planned = plan(std::move(*places)); !planned) return fail(planned.error());
  Committed committed;
  if (!changing_.empty()) {
    if (auto begun = begin(); !begun) return fail(begun.error());
    committed.change_id = record_.id;
    committed.not_undoable = store_ ? not_undoable_text(record_)
                                    : "there is no history, because Helve's state directory cannot be used";
  }
  if (auto applied = apply(committed); !applied) return fail(applied.error());
  if (changing_.empty()) return committed;
  context_.root.remove_directories(set_.directories_to_remove);
  end(RecordState::kCommitted);
  locks_.reset();
  if (store_) prune_history(*store_, context_.options);
  return committed;
}

}  // namespace

Expected<Committed> commit_set(const ChangesContext& context, const ChangeSet& set) {
  if (set.changes.empty()) return Committed{};
  return Commit(context, set).run();
}

}  // namespace helve::changes
