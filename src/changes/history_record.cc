#include "changes/history_record.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace helve::changes {
namespace {

// Compact encoding of numbers and arbitrary bytes.
class ByteWriter {
 public:
  // Seven bits per byte, lowest first.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // With a length prefix.
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  // Without a length: the reader knows it.
  void raw(std::string_view value) { bytes_ += value; }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// The bytes must outlive it. After malformed input or the end, all reads return zeros and is_good() is false,
// so one check at the end is enough.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return refuse();
  }
  [[nodiscard]] std::string_view text() { return raw(number()); }
  [[nodiscard]] std::string_view raw(std::uint64_t size) {
    if (size > rest_.size()) {
      refuse();
      return {};
    }
    const std::string_view value = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(value.size());
    return value;
  }
  // A count of items that follow, each at least one byte long.
  [[nodiscard]] std::size_t count() {
    const std::uint64_t value = number();
    return static_cast<std::size_t>(value <= rest_.size() ? value : refuse());
  }

  [[nodiscard]] bool is_good() const { return good_; }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::uint64_t refuse() {
    good_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool good_ = true;
};

constexpr std::uint64_t kVersion = 2;  // 1 has the same fields, and letters as states

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
  writer.number(kVersion);
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
  for (const FileRecord& file : record.files) write_file(writer, file);
  return writer.take();
}

std::optional<ChangeRecord> decode_record(std::string_view bytes) {
  ByteReader reader(bytes);
  if (const std::uint64_t version = reader.number(); version < 1 || version > kVersion) return std::nullopt;
  ChangeRecord record;
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
    record.files.push_back(read_file_record(reader));
  if (!reader.is_good() || !reader.is_at_end()) return std::nullopt;
  return record;
}

std::uint64_t record_version(std::string_view bytes) { return ByteReader(bytes).number(); }

bool is_newer_record(std::string_view bytes) { return record_version(bytes) > kVersion; }

std::string_view peek_record_id(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t version = reader.number();
  return version >= 1 && version <= kVersion ? reader.text() : std::string_view();
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
