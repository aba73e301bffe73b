#include "changes/command_undo.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "changes/changes_record.h"
#include "changes/command_store.h"
#include "changes/history_view.h"
#include "changes/journal_locks.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using effects::Direction;
using effects::Effect;
using effects::Effects;
using effects::Side;

// Locking more paths than this would take longer than the undo.
constexpr std::size_t kMostLocked = 1'000;
// Diffs of more files than this would not be read.
constexpr std::size_t kMostShown = 50;
constexpr std::size_t kMostShownBytes = std::size_t{1} << 20;

struct Wording {
  std::string_view reason;  // in the error's details
  std::string_view happened;
};

Wording wording_of(effects::Difference difference) {
  using effects::Difference;
  switch (difference) {
    case Difference::kCreated: return {"created", " was created"};
    case Difference::kDeleted: return {"deleted", " was removed"};
    case Difference::kMode: return {"mode", " had its permissions changed"};
    case Difference::kNone:
    case Difference::kChanged: break;
  }
  return {"changed", " was changed"};
}

Error disagreement_error(const effects::Disagreement& found, std::string_view change_id,
                         Direction direction) {
  const bool is_undo = direction == Direction::kUndo;
  const std::string shown = workspace::printable_path(found.path);
  const auto [reason, happened] = wording_of(found.difference);
  return {ErrorCode::kConflict,
          concat(shown, happened, is_undo ? " since the command ended" : " since the undo", ", so ",
                 is_undo ? "undo" : "redo", " would lose that. Nothing was changed."),
          "Read the file as it is now and edit it instead.",
          JsonObject{{"path", shown}, {"reason", reason}, {"changeId", change_id}}};
}

Expected<std::string> read_bytes(int fd) { return read_all(fd, kMostShownBytes); }

std::optional<std::string> bytes_of(const workspace::Root& root, const effects::KeptObjects& objects,
                                    const std::string& path, const Side& side) {
  if (!side.node.is_file()) {
    if (side.node.kind == effects::NodeKind::kLink) return concat("symlink to ", side.node.target, "\n");
    return std::string();
  }
  if (side.node.size > kMostShownBytes) return std::nullopt;
  if (side.copy || side.link) {
    const auto object = objects.open_object(side.copy ? *side.copy : *side.link);
    if (!object) return std::nullopt;
    auto bytes = read_bytes(object->get());
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
  }
  const effects::Spot spot = effects::find_spot(root.fd(), path);
  const UniqueFd file(
      ::openat(spot.directory.get(), spot.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || effects::node_in(spot).size != side.node.size) return std::nullopt;
  auto bytes = read_bytes(file.get());
  return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
}

FileAction action_of(const Side& from, const Side& to) {
  if (!from.node.exists()) return FileAction::kCreated;
  if (!to.node.exists()) return FileAction::kRemoved;
  return FileAction::kChanged;
}

// Contents are read before the change, because it removes some of them.
std::vector<RestoredFile> report(const workspace::Root& root, const effects::KeptObjects& objects,
                                 const Effects& effects, Direction direction) {
  std::vector<RestoredFile> files;
  for (const Effect& effect : effects.all) {
    const Side& from = direction == Direction::kUndo ? effect.after : effect.before;
    const Side& to = direction == Direction::kUndo ? effect.before : effect.after;
    RestoredFile file;
    file.file.action = action_of(from, to);
    file.file.path = effect.path;
    if (from.node.exists() && to.node.exists() && from.node.mode != to.node.mode) file.mode = to.node.mode;
    const bool has_diff = files.size() < kMostShown && (from.node.is_file() || to.node.is_file());
    const auto old_content = has_diff ? bytes_of(root, objects, effect.path, from) : std::nullopt;
    const auto new_content = has_diff ? bytes_of(root, objects, effect.path, to) : std::nullopt;
    file.content_left_out = has_diff && !(old_content && new_content);
    if (old_content && new_content) {
      file.old_content = *old_content;
      file.new_content = *new_content;
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

Expected<UndoStep> revert_command(const ChangesContext& context, const HistoryStore& history,
                                  const ChangeOrigin& origin, const ChangeRecord& made, Direction direction,
                                  const MayChange& may_change) {
  if (!made.gap.empty())
    return fail(ErrorCode::kNotFound, concat("This command cannot be undone: ", made.gap, "."),
                "Restore the old content from version control or a backup.",
                JsonObject{{"reason", "not_kept"}, {"changeId", made.id}});
  const auto store = CommandStore::open(history, made.id);
  if (!store) return fail(store.error());
  const auto objects = store->objects();
  if (!objects) return fail(objects.error());
  auto effects = store->effects();
  if (!effects) return fail(effects.error());
  std::vector<std::string> paths;
  for (const Effect& effect : effects->all) {
    if (may_change)
      if (auto allowed = may_change(effect.path); !allowed) return fail(allowed.error());
    paths.push_back(effect.path);
  }
  std::optional<PathLocks> locks;
  if (paths.size() <= kMostLocked) {
    auto taken = PathLocks::take(history.directory(), paths, context.options.lock_wait);
    if (!taken) return fail(taken.error());
    locks.emplace(std::move(*taken));
  }
  effects::Restorer restorer(context.root.fd(), *objects, *effects, direction);
  if (const auto found = restorer.find_disagreement())
    return fail(disagreement_error(*found, made.id, direction));

  if (auto whole = restorer.check_objects(); !whole) return fail(whole.error());

  ChangeRecord record{.id = random_id("chg"),
                      .role = direction == Direction::kUndo ? RecordRole::kUndo : RecordRole::kRedo,
                      .subject = made.id,
                      .time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count(),
                      .origin = origin,
                      .files = made.files,
                      .of_command = true};
  auto mark = ActiveMark::create(history.active_directory(), record.id);
  if (!mark) return fail(mark.error());
  const auto give_up = [&](Error error) {
    mark->finish();
    return fail(std::move(error));
  };
  UndoStep step;
  step.files = report(context.root, *objects, *effects, direction);
  if (auto kept = restorer.keep_present(); !kept) return give_up(kept.error());
  if (auto written = store->write_effects(*effects); !written) return give_up(written.error());
  const auto position = history.log().append(record, 0, context.options.durability);
  if (!position) return give_up(position.error());
  if (auto applied = restorer.apply(); !applied) {
    const Direction back = direction == Direction::kUndo ? Direction::kRedo : Direction::kUndo;
    const auto reverted = effects::Restorer(context.root.fd(), *objects, *effects, back).apply();
    static_cast<void>(history.log().mark(*position, record.id, RecordState::kRolledBack));
    mark->finish();
    Error error = applied.error();
    if (reverted) {
      error.message += " All files are as they were before.";
      return fail(std::move(error));
    }
    error.code = ErrorCode::kOutcomeUnknown;
    error.message += concat(" Reverting what had been done also failed: ", reverted.error().message);
    return fail(std::move(error));
  }
  if (auto marked = history.log().mark(*position, record.id, RecordState::kCommitted); !marked)
    return fail(marked.error());  // recovery completes it
  mark->finish();
  step.change_id = made.id;
  step.origin = made.origin;
  step.time = utc_timestamp(std::chrono::system_clock::time_point(std::chrono::milliseconds(made.time_ms)));
  return step;
}

Expected<void> complete_command_undo(const ChangesContext& context, const HistoryStore& history,
                                     const ChangeRecord& undo) {
  const auto store = CommandStore::open(history, undo.subject);
  if (!store) return fail(store.error());
  const auto objects = store->objects();
  if (!objects) return fail(objects.error());
  auto effects = store->effects();
  if (!effects) return fail(effects.error());
  const Direction direction = undo.role == RecordRole::kUndo ? Direction::kUndo : Direction::kRedo;
  effects::Restorer restorer(context.root.fd(), *objects, *effects, direction);
  if (auto whole = restorer.check_objects(); !whole) return whole;
  return restorer.apply();
}

std::vector<HistoryFileDiff> command_diff(const ChangesContext& context, const HistoryStore& history,
                                          const ChangeRecord& made) {
  std::vector<HistoryFileDiff> diffs;
  const auto store = CommandStore::open(history, made.id);
  const auto objects = store ? store->objects() : fail(store.error());
  const auto effects = store ? store->effects() : fail(store.error());
  if (!objects || !effects) {
    for (const FileRecord& file : made.files)
      diffs.push_back({.file = to_history_file(outline_of(file)), .left_out = true});
    return diffs;
  }
  for (const Effect& effect : effects->all) {
    HistoryFileDiff diff{.file = {.action = action_of(effect.before, effect.after), .path = effect.path}};
    if (effect.before.node.exists())
      diff.before = bytes_of(context.root, *objects, effect.path, effect.before);
    if (effect.after.node.exists()) diff.after = bytes_of(context.root, *objects, effect.path, effect.after);
    diff.left_out = diffs.size() >= kMostShown || (effect.before.node.exists() && !diff.before) ||
                    (effect.after.node.exists() && !diff.after);
    diffs.push_back(std::move(diff));
  }
  return diffs;
}

}  // namespace helve::changes
