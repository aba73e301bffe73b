#include "workspace/changes_commit.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/strings.h"
#include "workspace/changes_apply.h"
#include "workspace/changes_plan.h"
#include "workspace/changes_record.h"
#include "workspace/history_prune.h"
#include "workspace/history_store.h"
#include "workspace/journal_locks.h"
#include "workspace/journal_recover.h"
#include "workspace/journal_settle.h"
#include "workspace/path_check.h"

namespace helve {
namespace {

using Kind = FileChange::Kind;

// One change set on its way. Owned by the thread that makes it.
class Commit {
 public:
  Commit(const ChangesContext& context, const ChangeSet& set)
      : context_(context), set_(set), key_(FingerprintKey::random_seed()) {}

  Expected<Committed> run();

 private:
  [[nodiscard]] bool may_go_on() const {
    return context_.options.without_history == ChangeOptions::WithoutHistory::kGoOn;
  }
  Expected<void> open_history(const std::vector<ChangePlaces>& places);
  Expected<void> plan(std::vector<ChangePlaces> places);
  Expected<void> begin();
  Expected<void> begin_in_history();
  Expected<void> apply(Committed& committed);
  Error take_back(Error error, std::size_t touched, const std::vector<std::string>& created_directories);
  Error note_taken_back(Error error, const Settled& settled);
  void end(RecordState state);

  const ChangesContext& context_;
  const ChangeSet& set_;
  FingerprintKey key_;
  std::optional<HistoryStore> store_;
  std::optional<PathLocks> locks_;
  std::vector<PlannedFile> files_;
  std::vector<const PlannedFile*> changing_;  // those of them that are not as they should be already
  std::optional<ActiveMark> mark_;
  std::optional<HistoryLog::Position> position_;
  ChangeRecord record_;
};

Expected<void> Commit::open_history(const std::vector<ChangePlaces>& places) {
  auto store =
      HistoryStore::open(context_.directory, HistoryLog::Missing::kCreate, context_.options.durability);
  if (!store && may_go_on()) return {};
  if (!store) {
    Error error = store.error();
    error.message += " Nothing was changed, since it could not be undone.";
    return fail(std::move(error));
  }
  store_ = std::move(*store);
  key_ = store_->log().key();
  // What a killed process left comes first: it may be about the same files.
  if (auto recovered = recover_changes(context_, *store_, RecoveryScope::kMarked); !recovered)
    return fail(recovered.error());
  std::vector<std::string> paths;
  for (const ChangePlaces& place : places) {
    paths.push_back(place.from.path);
    if (place.to) paths.push_back(place.to->path);
  }
  auto locks = PathLocks::take(store_->directory(), paths, context_.options.lock_wait);
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
    if (!may_go_on()) {
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
  // Not noted: then the mark stays, and recovery finds out what became of it.
  if (!noted) return;
  if (state == RecordState::kRolledBack) store_->release(record_);
  if (state == RecordState::kCommitted) store_->release_passing(record_);
  mark_->finish();
}

Error Commit::note_taken_back(Error error, const Settled& settled) {
  switch (settled.outcome) {
    case RecoveredChange::Outcome::kRolledBack:
      end(RecordState::kRolledBack);
      if (!error.message.ends_with("Nothing was written."))
        error.message += " All files are as they were before.";
      return error;
    case RecoveredChange::Outcome::kFinished: end(RecordState::kCommitted); return error;
    case RecoveredChange::Outcome::kKeptAside: break;
  }
  end(RecordState::kKeptAside);
  std::vector<std::string> foreign;
  for (const std::string& path : settled.foreign) foreign.push_back(printable_path(path));
  error.message +=
      concat(" The other files are as they were before, but ", enumerate(foreign),
             foreign.size() == 1 ? " was" : " were", " changed by someone else meanwhile and left alone.");
  return error;
}

// `touched` files may have been changed.
Error Commit::take_back(Error error, std::size_t touched,
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
  const SettleWish wish =
      is_unknown && record_.files.size() == 1 ? SettleWish::kFinishOrTakeBack : SettleWish::kTakeBack;
  const auto settled = settle(settling, record_, wish, touched);
  if (settled) return note_taken_back(std::move(error), *settled);
  return {ErrorCode::kOutcomeUnknown,
          concat(error.message, " Taking back what had been changed failed too: ", settled.error().message),
          store_ ? "Helve tries again at its next start. Until then, look at the files before going on."
                 : "Look at the files before going on.",
          std::move(error.details)};
}

Expected<void> Commit::apply(Committed& committed) {
  // Of several files each directory is synchronised once, at the end: until then the journal vouches.
  const bool is_alone = changing_.size() == 1;
  ApplyOptions options{context_.options.durability, context_.options.lock_wait};
  if (!is_alone && options.durability == Durability::kFull) options.durability = Durability::kFile;
  std::size_t done = 0;
  for (const PlannedFile& file : files_) {
    const bool is_changing = !file.changes_nothing();
    const std::string_view temporary = is_changing ? record_.files[done].temporary : std::string_view();
    auto changed = apply_file(context_.root, file, temporary, options, committed.created_directories);
    if (!changed) {
      const bool may_be_half = file.kind == Kind::kMove || changed.error().code == ErrorCode::kOutcomeUnknown;
      return fail(take_back(changed.error(), done + (may_be_half ? 1 : 0), committed.created_directories));
    }
    committed.files.push_back(std::move(*changed));
    done += is_changing ? 1 : 0;
  }
  if (!is_alone && context_.options.durability == Durability::kFull) {
    if (auto synced = sync_directories_of(context_.root, files_); !synced)
      return fail(take_back(synced.error(), done, committed.created_directories));
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
                                    : "there is no history, since Helve's state directory cannot be used";
  }
  if (auto applied = apply(committed); !applied) return fail(applied.error());
  if (changing_.empty()) return committed;
  context_.root.remove_directories(set_.unmade_directories);
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

}  // namespace helve
