#include "changes/command_change.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_map>

#include "base/byte_codec.h"
#include "base/clock.h"
#include "base/strings.h"
#include "changes/history_record.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

FileRecord listed(FileChange::Kind kind, std::string path, const effects::Side* before,
                  const effects::Side* after) {
  FileRecord file;
  file.kind = kind;
  file.path = std::move(path);
  file.existed = before != nullptr && before->node.exists();
  file.splice.parts.push_back({.kept = 0,
                               .removed = before == nullptr ? 0 : before->node.size,
                               .inserted = after == nullptr ? 0 : after->node.size});
  return file;
}

// A file that is gone from one path and, with the same inode, new at another was moved.
std::vector<FileRecord> list_files(const effects::Effects& effects) {
  std::unordered_map<effects::InodeKey, const effects::Effect*> gone;
  for (const effects::Effect& effect : effects.all)
    if (effect.before.node.is_file() && !effect.after.node.exists())
      gone.emplace(effect.before.node.inode, &effect);
  std::set<const effects::Effect*> moved;
  std::vector<FileRecord> files;
  for (const effects::Effect& effect : effects.all) {
    if (effect.before.node.exists() || !effect.after.node.is_file()) continue;
    const auto from = gone.find(effect.after.node.inode);
    if (from == gone.end() || !moved.insert(from->second).second) continue;
    moved.insert(&effect);
    FileRecord file = listed(FileChange::Kind::kMove, from->second->path, nullptr, nullptr);
    file.new_path = effect.path;
    files.push_back(std::move(file));
  }
  for (const effects::Effect& effect : effects.all) {
    if (moved.contains(&effect)) continue;
    const bool stays = effect.after.node.exists();
    files.push_back(listed(stays ? FileChange::Kind::kWrite : FileChange::Kind::kRemove, effect.path,
                           &effect.before, &effect.after));
  }
  return files;
}

// The first entry of the journal says whose change it is, in case this process is killed.
std::string encode_origin(const ChangeOrigin& origin) {
  ByteWriter writer;
  for (const std::string* text : {&origin.session, &origin.call, &origin.tool}) writer.text(*text);
  ByteWriter entry;
  entry.text(writer.bytes());
  return entry.take();
}

ChangeOrigin take_origin(std::string_view& journal) {
  ByteReader reader(journal);
  const std::string_view bytes = reader.text();
  if (!reader.is_good()) return {};
  journal.remove_prefix(static_cast<std::size_t>(bytes.data() - journal.data()) + bytes.size());
  ByteReader fields(bytes);
  ChangeOrigin origin;
  for (std::string* text : {&origin.session, &origin.call, &origin.tool}) *text = fields.text();
  return origin;
}

}  // namespace

CommandChange::CommandChange(const workspace::Root& root, std::string directory, const ChangeOptions& options,
                             ChangeOrigin origin, effects::Budget budget, effects::LeftOut left_out)
    : root_(root),
      directory_(std::move(directory)),
      options_(options),
      origin_(std::move(origin)),
      left_out_(std::move(left_out)),
      id_(random_id("chg")),
      recorder_(root.fd(), [this] { return open_storage(); }, budget, left_out_) {}

Expected<std::unique_ptr<CommandChange>> CommandChange::begin(const workspace::Root& root,
                                                              std::string directory,
                                                              const ChangeOptions& options,
                                                              ChangeOrigin origin, effects::Budget budget,
                                                              effects::LeftOut left_out) {
  std::unique_ptr<CommandChange> change(
      new CommandChange(root, std::move(directory), options, std::move(origin), budget, std::move(left_out)));
  auto watch = effects::Watch::start(root.path(), change->recorder_);
  if (!watch) return fail(watch.error());
  change->watch_ = std::move(*watch);
  return change;
}

Expected<effects::Storage> CommandChange::open_storage() {
  const std::lock_guard lock(mutex_);
  auto history = HistoryStore::open(directory_, HistoryLog::Missing::kCreate, workspace::Durability::kNone);
  if (!history) return fail(history.error());
  history_.emplace(std::move(*history));
  auto mark = ActiveMark::create(history_->active_directory(), id_);
  if (!mark) return fail(mark.error());
  mark_.emplace(std::move(*mark));
  auto store = CommandStore::create(*history_, id_);
  if (!store) return fail(store.error());
  store_.emplace(std::move(*store));
  if (launcher_ > 0) store_->note_launcher(launcher_);
  auto objects = store_->objects();
  if (!objects) return fail(objects.error());
  auto journal = store_->create_journal();
  if (!journal) return fail(journal.error());
  if (auto written = write_all(journal->get(), encode_origin(origin_)); !written)
    return fail(written.error());
  return effects::Storage{std::move(*objects), std::move(*journal)};
}

void CommandChange::note_launcher(pid_t launcher) {
  const std::lock_guard lock(mutex_);
  launcher_ = launcher;
  if (store_) store_->note_launcher(launcher);
}

Expected<CommandOutcome> CommandChange::finish() {
  watch_->finish();
  const std::lock_guard lock(mutex_);
  const effects::Before& before = recorder_.before();
  if (!store_) return CommandOutcome{.not_undoable = before.gap};
  auto outcome = record_command(*history_, *store_, root_, id_, origin_, before, left_out_);
  if (!outcome || outcome->change_id.empty()) CommandStore::remove(*history_, id_);
  mark_->finish();
  if (outcome && !outcome->change_id.empty()) prune_history(*history_, options_);
  return outcome;
}

Expected<CommandOutcome> record_command(const HistoryStore& history, const CommandStore& store,
                                        const workspace::Root& root, const std::string& id,
                                        const ChangeOrigin& origin, const effects::Before& before,
                                        const effects::LeftOut& left_out) {
  const auto objects = store.objects();
  if (!objects) return fail(objects.error());
  const effects::Effects effects = effects::settle(root.fd(), *objects, before, left_out);
  if (effects.all.empty()) return CommandOutcome{};
  if (auto written = store.write_effects(effects); !written) return fail(written.error());
  ChangeRecord record{.id = id,
                      .time_ms = milliseconds_now(),
                      .origin = origin,
                      .files = list_files(effects),
                      .of_command = true,
                      .kept_bytes = effects.kept_bytes(),
                      .gap = effects.gap};
  const auto position = history.log().append(record, record.kept_bytes, workspace::Durability::kNone);
  if (!position) return fail(position.error());
  if (auto marked = history.log().mark(*position, id, RecordState::kCommitted); !marked)
    return fail(marked.error());
  store.drop_journal();
  CommandOutcome outcome{.change_id = id, .not_undoable = effects.gap};
  for (const FileRecord& file : record.files) outcome.files.push_back(to_history_file(outline_of(file)));
  return outcome;
}

void recover_commands(const HistoryStore& history, const workspace::Root& root,
                      const std::vector<std::string>& adopted, RecoveryReport& report) {
  for (const std::string& id : adopted) {
    const auto store = CommandStore::open(history, id);
    if (!store) continue;
    const auto known = history.log().find(id);
    if (!known || *known) continue;
    store->wait_for_launcher();
    const auto journal = store->journal();
    if (!journal) continue;
    std::string_view rest = *journal;
    const ChangeOrigin origin = take_origin(rest);
    const auto outcome = record_command(history, *store, root, id, origin, effects::read_journal(rest), {});
    if (!outcome || outcome->change_id.empty()) {
      CommandStore::remove(history, id);
      continue;
    }
    RecoveredChange change{.outcome = RecoveredChange::Outcome::kFinished, .change_id = id, .origin = origin};
    for (const HistoryFile& file : outcome->files) change.paths.push_back(file.path);
    report.changes.push_back(std::move(change));
  }
}

}  // namespace helve::changes
