#include "changes/history_record.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/byte_codec.h"

namespace helve::changes {
namespace {

constexpr std::uint64_t kVersion = 2;         // 1 has the same fields, and letters as states
constexpr std::uint64_t kCommandVersion = 3;  // made by a command

void write_texts(ByteWriter& writer, const std::vector<std::string>& texts) {
  writer.number(texts.size());
  for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> read_texts(ByteReader& reader) {
  std::vector<std::string> texts(reader.count());
  for (std::string& text : texts) text = reader.text();
  return texts;
}

// 0 means nullopt.
void write_mode(ByteWriter& writer, std::optional<mode_t> mode) {
  writer.number(mode ? std::uint64_t{*mode} + 1 : 0);
}

std::optional<mode_t> read_mode(ByteReader& reader) {
  const std::uint64_t value = reader.number();
  if (value == 0) return std::nullopt;
  return static_cast<mode_t>(value - 1);
}

void write_print(ByteWriter& writer, const Fingerprint& print) {
  writer.raw({reinterpret_cast<const char*>(print.data()), print.size()});
}

Fingerprint read_print(ByteReader& reader) {
  Fingerprint print{};
  const std::string_view bytes = reader.raw(print.size());
  std::ranges::copy(bytes, print.begin());
  return print;
}

void write_kept(ByteWriter& writer, const KeptBytes& kept) {
  writer.number(static_cast<unsigned char>(kept.place));
  writer.number(kept.size);
  writer.text(kept.bytes);
}

KeptBytes read_kept(ByteReader& reader) {
  KeptBytes kept;
  kept.place = static_cast<KeptBytes::Place>(reader.number());
  kept.size = reader.number();
  kept.bytes = reader.text();
  return kept;
}

constexpr std::uint64_t kExisted = 1;
constexpr std::uint64_t kInPlace = 2;
constexpr std::uint64_t kNewIsWhole = 4;
constexpr std::uint64_t kUndoable = 8;

void write_file(ByteWriter& writer, const FileRecord& file) {
  writer.number(static_cast<std::uint64_t>(file.kind));
  writer.text(file.path);
  writer.text(file.new_path);
  writer.number((file.existed ? kExisted : 0) | (file.in_place ? kInPlace : 0) |
                (file.new_is_whole ? kNewIsWhole : 0) | (file.undoable ? kUndoable : 0));
  write_mode(writer, file.old_mode);
  write_mode(writer, file.new_mode);
  writer.number(file.splice.parts.size());
  for (const patch::SplicePart& part : file.splice.parts) {
    writer.number(part.kept);
    writer.number(part.removed);
    writer.number(part.inserted);
  }
  writer.number(file.splice.tail);
  write_print(writer, file.kept_print);
  write_print(writer, file.old_print);
  write_print(writer, file.new_print);
  write_kept(writer, file.old_bytes);
  write_kept(writer, file.new_bytes);
  writer.text(file.temporary);
}

FileRecord read_file_record(ByteReader& reader) {
  FileRecord file;
  file.kind = static_cast<FileChange::Kind>(reader.number());
  file.path = reader.text();
  file.new_path = reader.text();
  const std::uint64_t flags = reader.number();
  file.existed = (flags & kExisted) != 0;
  file.in_place = (flags & kInPlace) != 0;
  file.new_is_whole = (flags & kNewIsWhole) != 0;
  file.undoable = (flags & kUndoable) != 0;
  file.old_mode = read_mode(reader);
  file.new_mode = read_mode(reader);
  file.splice.parts.resize(reader.count());
  for (patch::SplicePart& part : file.splice.parts) {
    part.kept = reader.number();
    part.removed = reader.number();
    part.inserted = reader.number();
  }
  file.splice.tail = reader.number();
  file.kept_print = read_print(reader);
  file.old_print = read_print(reader);
  file.new_print = read_print(reader);
  file.old_bytes = read_kept(reader);
  file.new_bytes = read_kept(reader);
  file.temporary = reader.text();
  return file;
}

// A command can change very many files, and their content is stored elsewhere.
void write_listed_file(ByteWriter& writer, const FileRecord& file) {
  writer.number(static_cast<std::uint64_t>(file.kind));
  writer.text(file.path);
  writer.text(file.new_path);
  writer.number(file.existed ? kExisted : 0);
  writer.number(file.splice.changed_size(patch::SpliceSide::kOld));
  writer.number(file.splice.changed_size(patch::SpliceSide::kNew));
}

FileRecord read_listed_file(ByteReader& reader) {
  FileRecord file;
  file.kind = static_cast<FileChange::Kind>(reader.number());
  file.path = reader.text();
  file.new_path = reader.text();
  file.existed = (reader.number() & kExisted) != 0;
  const std::uint64_t removed = reader.number();
  file.splice.parts.push_back({.kept = 0, .removed = removed, .inserted = reader.number()});
  return file;
}

}  // namespace

FileAction FileRecord::action() const {
  switch (kind) {
    case FileChange::Kind::kWrite: return existed ? FileAction::kChanged : FileAction::kCreated;
    case FileChange::Kind::kRemove: return FileAction::kRemoved;
    case FileChange::Kind::kMove: return FileAction::kMoved;
  }
  return FileAction::kUnchanged;
}

bool ChangeRecord::touches(std::string_view path) const {
  return std::ranges::any_of(
      files, [&](const FileRecord& file) { return file.path == path || file.new_path == path; });
}

std::string encode_record(const ChangeRecord& record) {
  ByteWriter writer;
  writer.number(record.of_command ? kCommandVersion : kVersion);
  writer.text(record.id);
  writer.number(static_cast<unsigned char>(record.role));
  writer.text(record.subject);
  writer.number(static_cast<std::uint64_t>(record.time_ms));
  writer.text(record.origin.session);
  writer.text(record.origin.call);
  writer.text(record.origin.tool);
  write_texts(writer, record.created_directories);
  write_texts(writer, record.directories_to_remove);
  writer.number(record.files.size());
  for (const FileRecord& file : record.files) {
    if (record.of_command)
      write_listed_file(writer, file);
    else
      write_file(writer, file);
  }
  if (record.of_command) {
    writer.number(record.kept_bytes);
    writer.text(record.gap);
  }
  return writer.take();
}

std::optional<ChangeRecord> decode_record(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t version = reader.number();
  if (version < 1 || version > kCommandVersion) return std::nullopt;
  ChangeRecord record;
  record.of_command = version == kCommandVersion;
  record.id = reader.text();
  record.role = static_cast<RecordRole>(reader.number());
  record.subject = reader.text();
  record.time_ms = static_cast<std::int64_t>(reader.number());
  record.origin.session = reader.text();
  record.origin.call = reader.text();
  record.origin.tool = reader.text();
  record.created_directories = read_texts(reader);
  record.directories_to_remove = read_texts(reader);
  const std::size_t files = reader.count();
  for (std::size_t i = 0; i < files && reader.is_good(); ++i)
    record.files.push_back(record.of_command ? read_listed_file(reader) : read_file_record(reader));
  if (record.of_command) {
    record.kept_bytes = reader.number();
    record.gap = reader.text();
  }
  if (!reader.is_good() || !reader.is_at_end()) return std::nullopt;
  return record;
}

std::uint64_t record_version(std::string_view bytes) { return ByteReader(bytes).number(); }

bool is_newer_record(std::string_view bytes) { return record_version(bytes) > kCommandVersion; }

std::string_view peek_record_id(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t version = reader.number();
  return version >= 1 && version <= kCommandVersion ? reader.text() : std::string_view();
}

bool is_content(const FileRecord& file, patch::SpliceSide side, std::span<const std::string_view> content,
                const FingerprintKey& key) {
  std::uint64_t size = 0;
  for (const std::string_view piece : content) size += piece.size();
  if (size != file.splice.size(side)) return false;
  const patch::SpliceCut cut = patch::cut_content(file.splice, side, content);
  // The changed bytes are usually few and the most likely to differ.
  return fingerprint(key, cut.changed) ==
             (side == patch::SpliceSide::kOld ? file.old_print : file.new_print) &&
         fingerprint(key, cut.kept) == file.kept_print;
}

}  // namespace helve::changes
