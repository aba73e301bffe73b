#include "changes/changes_record.h"

#include <algorithm>
#include <chrono>

#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/path_check.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

using Pieces = std::span<const std::string_view>;

// New contents up to this size are stored whole, so that a refused undo can show the diff.
constexpr std::uint64_t kMaxWholeBytes = std::uint64_t{256} << 10;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Stores the bytes of one change set.
class Recorder {
 public:
  Recorder(const HistoryStore* store, const FingerprintKey& key, const std::string& id,
           const ChangeOptions& options)
      : store_(store),
        key_(key),
        id_(id),
        options_(options),
        largest_(std::min(options.largest_kept, options.max_bytes / 2)) {}

  Expected<FileRecord> record(const PlannedFile& planned, bool is_alone);
  [[nodiscard]] std::uint64_t added_bytes() const { return added_bytes_; }

 private:
  [[nodiscard]] Expected<KeptBytes> keep(Pieces bytes, BlobStore::Need need) {
    if (store_ != nullptr) return store_->keep(bytes, id_, need, options_.durability, added_bytes_);
    KeptBytes kept{KeptBytes::Place::kInline};
    for (const std::string_view piece : bytes) kept.bytes += piece;
    kept.size = kept.bytes.size();
    return kept;
  }
  Expected<void> keep_old(FileRecord& file, Pieces bytes, bool is_alone);
  Expected<void> keep_new(FileRecord& file, Pieces content, Pieces bytes);

  const HistoryStore* store_;
  const FingerprintKey& key_;
  const std::string& id_;
  const ChangeOptions& options_;
  std::uint64_t largest_;
  std::uint64_t added_bytes_ = 0;
};

// A single file is replaced atomically, so recovery needs no old bytes. With several files it needs them, at
// any size.
Expected<void> Recorder::keep_old(FileRecord& file, Pieces bytes, bool is_alone) {
  const std::uint64_t size = file.splice.changed_size(patch::SpliceSide::kOld);
  file.undoable = size <= largest_;
  if (!file.undoable && is_alone && !file.in_place) {
    file.old_bytes.size = size;
    return {};
  }
  auto kept = keep(bytes, BlobStore::Need::kDurable);
  if (!kept) return fail(kept.error());
  file.old_bytes = std::move(*kept);
  return {};
}

// Only needed for diffs, except for files written in place. An undo stores what redo needs.
Expected<void> Recorder::keep_new(FileRecord& file, Pieces content, Pieces bytes) {
  if (!file.has_new() || (file.splice.parts.empty() && file.has_old())) return {};
  file.new_is_whole = file.in_place || file.splice.size(patch::SpliceSide::kNew) <= kMaxWholeBytes;
  file.new_bytes.size = file.splice.changed_size(patch::SpliceSide::kNew);
  if (!file.in_place && (file.new_bytes.size > largest_ || store_ == nullptr)) return {};
  const auto need = file.in_place ? BlobStore::Need::kDurable : BlobStore::Need::kBestEffort;
  auto kept = keep(file.new_is_whole ? content : bytes, need);
  if (kept) {
    file.new_bytes = std::move(*kept);
  } else if (file.in_place) {
    return fail(kept.error());
  }
  return {};
}

Expected<FileRecord> Recorder::record(const PlannedFile& planned, bool is_alone) {
  FileRecord file;
  file.kind = planned.kind;
  file.path = planned.places.from.path;
  if (planned.places.to) file.new_path = planned.places.to->path;
  file.existed = planned.kind == FileChange::Kind::kWrite && planned.status;
  file.in_place = planned.in_place();
  if (planned.status) file.old_mode = planned.status->st_mode & 07777;
  if (file.has_new()) {
    if (planned.status || planned.new_file_mode == NewFileMode::kExactly) file.new_mode = planned.mode;
    if (planned.status && !planned.mode) file.new_mode = file.old_mode;
  }
  file.splice = planned.splice;
  const patch::SpliceCut old_cut =
      patch::cut_content(planned.splice, patch::SpliceSide::kOld, std::span(&planned.old_content, 1));
  const patch::SpliceCut new_cut =
      patch::cut_content(planned.splice, patch::SpliceSide::kNew, planned.content);
  file.kept_print = fingerprint(key_, old_cut.kept);
  file.old_print = fingerprint(key_, old_cut.changed);
  file.new_print = fingerprint(key_, new_cut.changed);
  if (auto kept = keep_old(file, old_cut.changed, is_alone); !kept) return fail(kept.error());
  if (auto kept = keep_new(file, planned.content, new_cut.changed); !kept) return fail(kept.error());
  file.temporary = workspace::random_temporary_name();
  return file;
}

}  // namespace

Expected<RecordedChanges> record_changes(const HistoryStore* store, const FingerprintKey& key,
                                         const ChangeSet& set, const std::string& id,
                                         std::span<const PlannedFile* const> files,
                                         const ChangeOptions& options) {
  ChangeRecord record;
  record.id = id;
  record.role = set.role;
  record.subject = set.subject;
  record.time_ms = now_ms();
  record.origin = set.origin;
  record.directories_to_remove = set.directories_to_remove;
  const auto give_up = [&](Error error) {
    if (store != nullptr) store->blobs().release_all(std::span(&id, 1));
    return fail(std::move(error));
  };
  Recorder recorder(store, key, id, options);
  for (const PlannedFile* planned : files) {
    for (const ResolvedPlace* place :
         {&planned->places.from, planned->places.to ? &*planned->places.to : nullptr}) {
      if (place == nullptr) continue;
      for (const std::string& missing : place->missing_directories)
        if (std::ranges::find(record.created_directories, missing) == record.created_directories.end())
          record.created_directories.push_back(missing);
    }
    auto file = recorder.record(*planned, files.size() == 1);
    if (!file) return give_up(file.error());
    record.files.push_back(std::move(*file));
  }
  const bool relies_on_blobs = std::ranges::any_of(record.files, [](const FileRecord& file) {
    return file.in_place || file.old_bytes.place == KeptBytes::Place::kBlob;
  });
  if (relies_on_blobs && store != nullptr) {
    if (const int error = store->blobs().sync(options.durability); error != 0)
      return give_up(workspace::write_error("write", workspace::kHistoryName, error));
  }
  return RecordedChanges{std::move(record), recorder.added_bytes()};
}

std::string not_undoable_text(const ChangeRecord& record) {
  std::string text;
  for (const FileRecord& file : record.files) {
    if (file.undoable) continue;
    if (!text.empty()) text += "; ";
    text += not_undoable_text(outline_of(file));
  }
  return text;
}

std::string not_undoable_text(const FileOutline& file) {
  return concat(workspace::printable_path(file.path), ": too large to undo (",
                with_thousands(file.removed_bytes), " bytes would have to be kept)");
}

}  // namespace helve::changes
