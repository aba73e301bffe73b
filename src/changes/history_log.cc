#include "changes/history_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/strings.h"
#include "changes/history_damage.h"
#include "changes/history_frames.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

constexpr const char* kName = "log";

// In native byte order: a log is only read on the machine that wrote it.
struct Header {
  std::array<char, 8> magic = {'H', 'E', 'L', 'V', 'E', 'H', '1', '\n'};
  FingerprintKey::Seed seed = {};
  std::uint64_t generation = 0;  // changes with each rewrite, which moves all records
  std::uint64_t blob_bytes = 0;
  std::uint32_t records = 0;
  std::uint32_t seed_checksum = 0;  // 0: written before there was one
  std::int64_t oldest_ms = 0;
};

static_assert(sizeof(Header) == 72);

// A damaged seed would make every file look as if others had changed it.
std::uint32_t checksum_of_seed(const Header& header) {
  const std::string_view seed(reinterpret_cast<const char*>(header.seed.data()), header.seed.size());
  const FrameChecksum whole = checksum_of(seed);
  std::uint32_t start = 0;
  static_assert(sizeof whole >= sizeof start);
  std::memcpy(&start, &whole, sizeof start);
  return std::max(start, std::uint32_t{1});
}

template <class Plain>
std::string_view bytes_of(const Plain& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

int write_at(int fd, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += count;
  }
  return 0;
}

// nullopt when the file is too short, damaged or not a log.
std::optional<Header> read_header(int fd) {
  Header header;
  const Header good;
  if (::pread(fd, &header, sizeof header, 0) != ssize_t{sizeof header} || header.magic != good.magic)
    return std::nullopt;
  if (header.seed_checksum != 0 && header.seed_checksum != checksum_of_seed(header)) return std::nullopt;
  return header;
}

std::unexpected<Error> damaged() {
  return fail(ErrorKind::kHistoryDamaged, ErrorCode::kExecutionFailed,
              "The history of this workspace is damaged or was written by another version of Helve.",
              "Delete it with history clear. Workspace files are not changed.");
}

std::unexpected<Error> cannot(std::string_view action, int error) {
  return fail(workspace::write_error(action, workspace::kHistoryName, error));
}

struct OpenLog {
  UniqueFd fd;
  struct stat status = {};
};

// With LOCK_EX or LOCK_SH, the file keeps its name until it is closed.
Expected<OpenLog> open_log(int directory, int lock) {
  while (true) {
    OpenLog log;
    log.fd.reset(
        ::openat(directory, kName, (lock == 0 ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!log.fd) return cannot(lock == 0 ? "read" : "write", errno);
    if (const int error = lock == 0 ? 0 : wait_for_lock(log.fd.get(), lock); error != 0)
      return cannot("lock", error);
    if (::fstat(log.fd.get(), &log.status) != 0) return cannot("read", errno);
    if (lock == 0) return log;
    struct stat named;
    if (::fstatat(directory, kName, &named, AT_SYMLINK_NOFOLLOW) != 0) return cannot("read", errno);
    if (workspace::is_same_inode(named, log.status)) return log;
  }
}

LogReader reader_of(const OpenLog& log) {
  return {log.fd.get(), static_cast<std::uint64_t>(log.status.st_size)};
}

struct Found {
  std::uint64_t offset;  // of the frame
  LoggedRecord logged;
};

// nullopt when the record or its state is damaged, or of a newer version.
std::optional<LoggedRecord> record_in(const Frame& frame, std::string_view body) {
  const auto state = state_of(frame.state);
  if (!state || checksum_of(body) != frame.checksum) return std::nullopt;
  if (is_letter(frame.state) != (record_version(body) == 1)) return std::nullopt;
  auto record = decode_record(body);
  if (!record) return std::nullopt;
  return LoggedRecord{std::move(*record), *state, sizeof frame + frame.length};
}

// Calls `visit` with all good records, in order, and returns what is between them.
template <class Visit>
std::vector<LogGap> scan(const OpenLog& log, const Visit& visit) {
  LogReader reader = reader_of(log);
  std::vector<LogGap> gaps;
  std::uint64_t end = sizeof(Header);  // of the last good record
  std::size_t good = 0;
  const auto note_gap = [&](std::uint64_t next) {
    if (next > end) gaps.push_back({end, next, good});
  };
  scan_frames(reader, end, [&](std::uint64_t at, const Frame& frame, std::string_view body) {
    // One of a newer version is whole, too.
    const bool is_newer = is_newer_record(body) && checksum_of(body) == frame.checksum;
    auto logged = is_newer ? std::nullopt : record_in(frame, body);
    if (!logged && !is_newer) return FrameVerdict::kBroken;
    note_gap(at);
    end = at + sizeof frame + frame.length;
    if (is_newer) return FrameVerdict::kTaken;
    ++good;
    visit(Found{at, std::move(*logged)});
    return FrameVerdict::kTaken;
  });
  note_gap(reader.size());
  return gaps;
}

std::vector<DamagedRecord> damage_in(const OpenLog& log, const std::vector<LogGap>& gaps) {
  LogReader reader = reader_of(log);
  std::vector<DamagedRecord> damaged;
  for (const LogGap& gap : gaps) find_damage(reader, gap, damaged);
  return damaged;
}

void drop_bytes(ChangeRecord& record) {
  for (FileRecord& file : record.files)
    for (KeptBytes* kept : {&file.old_bytes, &file.new_bytes})
      if (kept->place == KeptBytes::Place::kInline) kept->bytes = {};
}

// An empty log in a file without a name.
Expected<workspace::TemporaryFile> new_log(int directory, const Header& header) {
  auto file = workspace::TemporaryFile::create(directory, workspace::kHistoryName, 0600);
  if (!file) return file;
  if (const int error = write_at(file->fd(), bytes_of(header), 0); error != 0) return cannot("write", error);
  return file;
}

}  // namespace

void RecordSizes::add(const LoggedRecord& logged) {
  log_bytes_ += logged.bytes;
  blob_bytes_ += logged.record.kept_bytes;
  for (const FileRecord& file : logged.record.files)
    for (const KeptBytes* kept : {&file.old_bytes, &file.new_bytes})
      if (kept->place == KeptBytes::Place::kBlob && owners_[kept->bytes]++ == 0) blob_bytes_ += kept->size;
}

void RecordSizes::remove(const LoggedRecord& logged) {
  log_bytes_ -= logged.bytes;
  blob_bytes_ -= logged.record.kept_bytes;
  for (const FileRecord& file : logged.record.files)
    for (const KeptBytes* kept : {&file.old_bytes, &file.new_bytes})
      if (kept->place == KeptBytes::Place::kBlob && --owners_[kept->bytes] == 0) blob_bytes_ -= kept->size;
}

Expected<HistoryLog> HistoryLog::open(int directory, Missing missing, workspace::Durability durability) {
  UniqueFd fd(::openat(directory, kName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ENOENT && missing == Missing::kCreate) {
    Header header;
    header.seed = FingerprintKey::random_seed();
    header.seed_checksum = checksum_of_seed(header);
    std::memcpy(&header.generation, FingerprintKey::random_seed().data(), sizeof header.generation);
    auto created = new_log(directory, header);
    if (!created) return fail(created.error());
    int error = durability == workspace::Durability::kNone ? 0 : workspace::sync_file(created->fd());
    if (error == 0) error = created->give_name(kName);
    if (error == 0 && durability == workspace::Durability::kFull)
      error = workspace::sync_directory(directory);
    // EEXIST: another process created the log first, so use that one.
    if (error != 0 && error != EEXIST) return cannot("write", error);
    fd.reset(::openat(directory, kName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  }
  if (!fd && errno == ENOENT) return fail(ErrorCode::kNotFound, "There is no history of this workspace yet.");
  if (!fd) return cannot("read", errno);
  const auto header = read_header(fd.get());
  if (!header) return damaged();
  return HistoryLog(directory, header->seed);
}

void HistoryLog::remove(int directory) { ::unlinkat(directory, kName, 0); }

Expected<HistoryLog::Position> HistoryLog::append(const ChangeRecord& record, std::uint64_t added_bytes,
                                                  workspace::Durability durability) const {
  const std::string body = encode_record(record);
  Frame frame;
  frame.length = body.size();
  frame.checksum = checksum_of(body);
  std::string bytes(bytes_of(frame));
  bytes += body;

  auto log = open_log(directory_, LOCK_EX);
  if (!log) return fail(log.error());
  const int fd = log->fd.get();
  auto header = read_header(fd);
  if (!header) return damaged();
  const off_t end = log->status.st_size;
  if (const int error = write_at(fd, bytes, end); error != 0) {
    [[maybe_unused]] const int cut = ::ftruncate(fd, end);
    return cannot("write", error);
  }
  header->oldest_ms = header->records == 0 ? record.time_ms : std::min(header->oldest_ms, record.time_ms);
  header->seed_checksum = checksum_of_seed(*header);
  header->blob_bytes += added_bytes;
  ++header->records;
  static_cast<void>(write_at(fd, bytes_of(*header), 0));
  // Unlock first, so that others can append during the sync.
  ::flock(fd, LOCK_UN);
  if (durability != workspace::Durability::kNone) {
    if (const int error = workspace::sync_file(fd); error != 0) return cannot("write", error);
  }
  return Position{header->generation, end + static_cast<off_t>(offsetof(Frame, state))};
}

Expected<void> HistoryLog::mark(const Position& position, std::string_view id, RecordState state) const {
  auto log = open_log(directory_, LOCK_SH);
  if (!log) return fail(log.error());
  const auto header = read_header(log->fd.get());
  if (!header) return damaged();
  off_t offset = position.state;
  if (position.generation != header->generation) {
    std::optional<std::uint64_t> place;
    scan(*log, [&](const Found& found) {
      if (!place && found.logged.record.id == id) place = found.offset;
    });
    if (!place) return {};
    offset = static_cast<off_t>(*place + offsetof(Frame, state));
  }
  unsigned char present = 0;
  if (::pread(log->fd.get(), &present, 1, offset) != 1) return cannot("read", EIO);
  const unsigned char byte = state_byte(state, present);
  if (const int error = write_at(log->fd.get(), bytes_of(byte), offset); error != 0)
    return cannot("write", error);
  return {};
}

Expected<std::vector<LoggedRecord>> HistoryLog::load() const {
  const auto log = open_log(directory_, 0);
  if (!log) return fail(log.error());
  std::vector<LoggedRecord> records;
  scan(*log, [&](Found found) { records.push_back(std::move(found.logged)); });
  return records;
}

Expected<std::vector<ChangeRecord>> HistoryLog::pending() const {
  const auto log = open_log(directory_, 0);
  if (!log) return fail(log.error());
  std::vector<ChangeRecord> records;
  LogReader reader = reader_of(*log);
  // Settled records are not decoded: every change that meets another one asks this.
  scan_frames(reader, sizeof(Header), [&](std::uint64_t, const Frame& frame, std::string_view body) {
    if (state_of(frame.state) != RecordState::kPending) return FrameVerdict::kTaken;
    auto logged = record_in(frame, body);
    if (!logged) return FrameVerdict::kBroken;
    records.push_back(std::move(logged->record));
    return FrameVerdict::kTaken;
  });
  return records;
}

Expected<HistoryOutline> HistoryLog::outline() const {
  const auto log = open_log(directory_, 0);
  if (!log) return fail(log.error());
  HistoryOutline outline;
  const auto gaps =
      scan(*log, [&](const Found& found) { outline.add(found.logged.record, found.logged.state); });
  outline.set_damaged(damage_in(*log, gaps));
  return outline;
}

Expected<std::optional<ChangeRecord>> HistoryLog::find(std::string_view id) const {
  const auto log = open_log(directory_, 0);
  if (!log) return fail(log.error());
  std::optional<ChangeRecord> record;
  // Fast path: decode only the wanted record. A gap between frames means a torn record; then the full scan
  // below finds the rest.
  std::uint64_t next = sizeof(Header);
  LogReader reader = reader_of(*log);
  scan_frames(reader, next, [&](std::uint64_t at, const Frame& frame, std::string_view body) {
    if (at != next) return FrameVerdict::kStop;
    next += sizeof frame + frame.length;
    if (peek_record_id(body) != id) return FrameVerdict::kTaken;
    if (auto logged = record_in(frame, body)) record = std::move(logged->record);
    return FrameVerdict::kStop;
  });
  if (record) return record;
  scan(*log, [&](Found found) {
    if (!record && found.logged.record.id == id) record = std::move(found.logged.record);
  });
  return record;
}

Expected<LogUsage> HistoryLog::usage() const {
  const auto log = open_log(directory_, 0);
  if (!log) return fail(log.error());
  const auto header = read_header(log->fd.get());
  if (!header) return damaged();
  return LogUsage{static_cast<std::uint64_t>(log->status.st_size) + header->blob_bytes, header->records,
                  header->oldest_ms};
}

Expected<std::vector<LoggedRecord>> HistoryLog::rewrite(const Choose& choose,
                                                        workspace::Durability durability) const {
  auto log = open_log(directory_, LOCK_EX);
  if (!log) return fail(log.error());
  const auto old_header = read_header(log->fd.get());
  if (!old_header) return damaged();
  std::vector<LoggedRecord> records;
  std::vector<std::uint64_t> frames;
  const auto gaps = scan(*log, [&](Found found) {
    frames.push_back(found.offset);
    drop_bytes(found.logged.record);
    records.push_back(std::move(found.logged));
  });
  const std::vector<bool> drop = choose(records);
  std::vector<LoggedRecord> dropped;
  std::vector<std::size_t> kept;
  Header header;
  header.seed = old_header->seed;
  header.seed_checksum = checksum_of_seed(header);
  header.generation = old_header->generation + 1;
  RecordSizes sizes;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (drop[i] && records[i].state != RecordState::kPending) {
      dropped.push_back(std::move(records[i]));
      continue;
    }
    kept.push_back(i);
    const std::int64_t time = records[i].record.time_ms;
    sizes.add(records[i]);
    header.oldest_ms = header.records == 0 ? time : std::min(header.oldest_ms, time);
    ++header.records;
  }
  header.blob_bytes = sizes.blob_bytes();
  if (dropped.empty() && (!kept.empty() || gaps.empty())) return dropped;

  auto fresh = new_log(directory_, header);
  if (!fresh) return fail(fresh.error());
  LogReader reader = reader_of(*log);
  int error = 0;
  off_t end = sizeof header;
  const auto copy = [&](std::uint64_t from, std::uint64_t size) {
    const std::string_view bytes = reader.at(from, size);
    if (bytes.size() != size) return EIO;
    const int failed = write_at(fresh->fd(), bytes, end);
    end += static_cast<off_t>(size);
    return failed;
  };
  // A damaged record stays where it stops the undo of older ones.
  const std::vector<DamagedRecord> damaged = damage_in(*log, gaps);
  auto next_damaged = damaged.begin();
  for (std::size_t i = 0; error == 0 && i <= kept.size(); ++i) {
    const std::size_t record = i < kept.size() ? kept[i] : records.size();
    for (; error == 0 && next_damaged != damaged.end() && next_damaged->follows <= record; ++next_damaged)
      if (i > 0) error = copy(next_damaged->offset, next_damaged->bytes);
    if (error == 0 && i < kept.size()) error = copy(frames[record], records[record].bytes);
  }
  if (error == 0 && durability != workspace::Durability::kNone) error = workspace::sync_file(fresh->fd());
  if (error == 0) error = fresh->give_random_name();
  if (error == 0 && ::renameat(directory_, fresh->name().c_str(), directory_, kName) != 0) error = errno;
  if (error != 0) return cannot("write", error);
  fresh->forget_name();
  if (durability == workspace::Durability::kFull) static_cast<void>(workspace::sync_directory(directory_));
  return dropped;
}

}  // namespace helve::changes
