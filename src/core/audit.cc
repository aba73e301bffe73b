#include "core/audit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/file_lock.h"
#include "base/json_parse.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "core/audit_parts.h"

namespace helve::core {
namespace {

constexpr std::string_view kHashKey = ",\"hash\":\"";
constexpr std::size_t kHashLength = 64;
constexpr int kStream = 16;                                    // records in a row, that is, eight calls
constexpr auto kHardlyAnyTime = std::chrono::milliseconds(5);  // between two of them
constexpr std::size_t kMostWaiting = 2000;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;              // of memory, for the next records
constexpr std::uint64_t kFiles = 8;                                   // that share the space
constexpr std::size_t kHashTail = kHashKey.size() + kHashLength + 2;  // with the closing "}

// The hash at the end of a line if it is correct; empty otherwise.
std::string_view sound_hash(std::string_view line) {
  if (line.size() < kHashTail || !line.ends_with("\"}")) return {};
  const std::string_view body = line.substr(0, line.size() - kHashTail);
  if (line.substr(body.size(), kHashKey.size()) != kHashKey) return {};
  const std::string_view hash = line.substr(body.size() + kHashKey.size(), kHashLength);
  return sha256_hex(body) == hash ? hash : std::string_view();
}

// Whether the path still names the file.
bool is_named(const std::string& path, const struct stat& file) {
  struct stat named{};
  return ::lstat(path.c_str(), &named) == 0 && named.st_ino == file.st_ino && named.st_dev == file.st_dev;
}

// Completes a record with further members, the previous hash and its own.
void append_line(std::string& bytes, std::string_view time, std::string_view record, std::string_view more,
                 std::string& hash) {
  const std::size_t start = bytes.size();
  bytes.append(R"({"time":")").append(time).append("\",");
  bytes.append(record.substr(1, record.size() - 2));
  bytes.append(more);
  bytes.append(R"(,"prev":")").append(hash).append("\"");
  hash = sha256_hex(std::string_view(bytes).substr(start));
  bytes.append(kHashKey).append(hash).append("\"}\n");
}

void clear_for_reuse(std::string& text) {
  if (text.capacity() > kKeptBytes) text = {};
  text.clear();
}

class FileLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {
    static_cast<void>(wait_for_lock(fd_, LOCK_EX));  // a file system without locks is used without them
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { ::flock(fd_, LOCK_UN); }

 private:
  int fd_;
};

}  // namespace

void Audit::Batch::add(std::string_view record) {
  texts_ += record;
  marks_.push_back({std::chrono::system_clock::now(), texts_.size()});
}

void Audit::Batch::clear() {
  clear_for_reuse(texts_);
  marks_.clear();
}

Audit::Batch::Record Audit::Batch::operator[](std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : marks_[index - 1].end;
  return {marks_[index].time, std::string_view(texts_).substr(begin, marks_[index].end - begin)};
}

Expected<void> Audit::open() {
  if (const std::size_t slash = options_.path.rfind('/'); slash != std::string::npos)
    if (auto made = make_private_directories(options_.path.substr(0, slash)); !made) return made;
  UniqueFd file(::open(options_.path.c_str(),
                       O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0)
    return fail(system_error(concat("Cannot open the audit file ", options_.path), errno));
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::kUnavailable,
                concat("The audit file ", options_.path, " was replaced by something that is not a file."),
                "Move it away. Helve creates a new audit.");
  file_ = std::move(file);
  return {};
}

Expected<void> Audit::read_last_hash(std::int64_t size) {
  // Records are far smaller than the first step; larger steps only help with files of other origin.
  constexpr std::int64_t kMost = std::int64_t{64} << 20;
  for (std::int64_t step = std::int64_t{1} << 13;; step *= 4) {
    const std::int64_t start = std::max<std::int64_t>(0, size - step);
    std::string tail(static_cast<std::size_t>(size - start), '\0');
    const ssize_t count = ::pread(file_.get(), tail.data(), tail.size(), start);
    if (count != static_cast<ssize_t>(tail.size()))
      return fail(system_error("Cannot read the audit file", errno));
    last_hash_.clear();
    end_ = tail.empty() || tail.ends_with('\n') ? End::kWhole : End::kTorn;
    std::string_view lines = tail;
    if (end_ == End::kTorn) {
      const std::string_view last = lines.substr(lines.rfind('\n') + 1);  // npos + 1 is 0
      if (const std::string_view hash = sound_hash(last); !hash.empty()) {
        // Only the line break is missing: the record itself was written.
        end_ = End::kNoLineBreak;
        last_hash_ = hash;
      }
      lines = lines.substr(0, lines.size() - last.size());
    }
    while (last_hash_.empty() && !lines.empty()) {
      lines.remove_suffix(1);
      const std::size_t line_start = lines.rfind('\n') + 1;
      last_hash_ = sound_hash(lines.substr(line_start));
      lines = lines.substr(0, line_start);
    }
    if (!last_hash_.empty() || start == 0 || step >= kMost) break;
  }
  // A kill can leave the head behind, but never ahead.
  lost_.clear();
  const auto head = read_audit_head(options_.path);
  if (head && head->is_of_this_boot && head->hash != last_hash_ && !audit_has_hash(options_.path, head->hash))
    lost_ = head->hash;
  known_size_ = size;
  return {};
}

Audit::~Audit() {
  writer_ = {};                                          // stops and joins
  [[maybe_unused]] const auto written = write_with({});  // nothing can receive an error any more
}

Expected<void> Audit::append(std::string_view record) { return write_with(record); }

Expected<void> Audit::append_soon(std::string_view record) {
  {
    const std::lock_guard lock(mutex_);
    if (is_crowded() && waiting_.size() < kMostWaiting) {
      if (has_writer()) {
        waiting_.add(record);
        if (waiting_.size() == 1) came_.notify_one();
        return std::exchange(last_failure_, {});
      }
    }
  }
  return write_with(record);
}

// Without a writer thread, the caller writes the records.
bool Audit::has_writer() {
  if (writer_.joinable()) return true;
  try {
    writer_ = std::jthread([this](const std::stop_token& stop) { write_in_turn(stop); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

// A few calls are written at once; only a stream of calls is worth a thread.
bool Audit::is_crowded() {
  const auto now = Clock::now();
  in_a_row_ = now - last_append_ < kHardlyAnyTime ? std::min(in_a_row_ + 1, kStream) : 0;
  last_append_ = now;
  return in_a_row_ == kStream && !options_.sync;
}

void Audit::write_in_turn(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (came_.wait(lock, stop, [this] { return waiting_.size() > 0; })) {
    came_.wait_for(lock, stop, kHardlyAnyTime, [] { return false; });
    lock.unlock();
    auto written = write_with({});
    lock.lock();
    if (!written) last_failure_ = std::move(written);
  }
}

Expected<void> Audit::write_with(std::string_view record) {
  const std::lock_guard file(file_mutex_);
  {
    const std::lock_guard lock(mutex_);
    std::swap(writing_, waiting_);
  }
  if (!record.empty()) writing_.add(record);
  auto written = writing_.size() == 0 ? Expected<void>() : write();
  writing_.clear();
  return written;
}

Expected<void> Audit::write() {
  std::optional<FileLock> file_lock;
  struct stat status{};
  for (bool is_current = false; !is_current;) {
    if (!file_)
      if (auto opened = open(); !opened) return opened;
    file_lock.emplace(file_.get());
    if (::fstat(file_.get(), &status) != 0) return fail(system_error("Cannot read the audit file", errno));
    is_current = is_named(options_.path, status);
    if (is_current) break;
    // Another process began the next file meanwhile.
    file_lock.reset();
    file_.reset();
    known_size_ = -1;
  }
  if (status.st_size != known_size_)
    if (auto read = read_last_hash(status.st_size); !read) return read;

  clear_for_reuse(lines_);
  if (end_ != End::kWhole) lines_ += '\n';
  std::string hash = last_hash_;
  std::string timestamp;
  std::string first_members = end_ == End::kTorn ? R"(,"tornLineBefore":true)" : "";
  if (!lost_.empty()) first_members += concat(R"(,"recordsLost":")", lost_, "\"");
  std::chrono::milliseconds last_time{-1};
  for (std::size_t i = 0; i < writing_.size(); ++i) {
    const auto [time, record] = writing_[i];
    // Formats the time once for all records of the same millisecond.
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
    if (std::exchange(last_time, since_epoch) != since_epoch) timestamp = utc_timestamp(time);
    append_line(lines_, timestamp, record, i == 0 ? first_members : "", hash);
  }
  known_size_ = -1;
  if (auto written = write_all(file_.get(), lines_); !written) return written;
  if (options_.sync && ::fdatasync(file_.get()) != 0)
    return fail(system_error("Cannot sync the audit file", errno));
  known_size_ = status.st_size + static_cast<std::int64_t>(lines_.size());
  last_hash_ = std::move(hash);
  lost_.clear();
  head_.write(options_.path, last_hash_);
  end_ = End::kWhole;
  if (options_.keep_bytes > 0) begin_next_file();
  return {};
}

// The caller holds the file's lock. A failure does not refuse the call: the next record tries again.
void Audit::begin_next_file() {
  const auto step = static_cast<std::int64_t>(options_.keep_bytes / kFiles);
  if (full_size_ == 0) full_size_ = step;
  if (known_size_ < full_size_) return;
  std::string first;
  std::string hash = last_hash_;
  append_line(first, utc_timestamp(std::chrono::system_clock::now()), R"({"kind":"continued"})", "", hash);
  if (!begin_audit_part(options_.path, first)) {
    full_size_ = known_size_ + step / 8;
    return;
  }
  remove_old_audit_parts(options_.path, options_.keep_bytes);
  full_size_ = step;
  file_.reset();
  known_size_ = -1;
}

namespace {

// The lines of a file, without their line breaks. Owned by one thread.
class LineReader {
 public:
  explicit LineReader(UniqueFd fd) : file_(::fdopen(fd.get(), "r")) {
    if (file_) static_cast<void>(fd.release());
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader() { std::free(buffer_); }

  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  [[nodiscard]] bool next(std::string& line) {
    const ssize_t count = ::getline(&buffer_, &size_, file_.get());
    if (count <= 0) return false;
    is_cut_ = buffer_[count - 1] != '\n';
    line.assign(buffer_, static_cast<std::size_t>(is_cut_ ? count : count - 1));
    return true;
  }
  [[nodiscard]] bool is_cut() const { return is_cut_; }  // the last line has no line break
  [[nodiscard]] bool failed() const { return std::ferror(file_.get()) != 0; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  char* buffer_ = nullptr;
  std::size_t size_ = 0;
  bool is_cut_ = false;
};

Error not_an_audit(Error error) {
  if (error.code != ErrorCode::kInvalidArgument) return error;
  error.code = ErrorCode::kConflict;
  error.hint = "An audit is a regular file. Find out what replaced it, and compare with a backup.";
  return error;
}

// Continues the report of the files before this one.
Expected<void> verify_file(const std::string& path, std::string_view head, AuditReport& report,
                           const std::function<void(std::size_t)>& on_progress) {
  auto opened = open_regular_file(path);
  if (!opened) return fail(not_an_audit(std::move(opened).error()));
  LineReader file(*std::move(opened));
  if (!file.is_open()) return fail(system_error(concat("Cannot read ", path), errno));
  ++report.files;
  bool torn_before = false;
  std::size_t number = 0;
  const auto broken = [&](std::string_view what) {
    return fail(ErrorCode::kConflict, concat(path, ", line ", number, ": ", what, "."),
                concat("It was changed after it was written",
                       report.records == 0 ? std::string(".")
                                           : concat("; before it, ", count_of(report.records, "record"),
                                                    report.records == 1 ? " is sound." : " are sound."),
                       " Compare it with a backup, and find out what can write there. To begin a new record, "
                       "move all audit files elsewhere."),
                JsonObject{{"line", number}, {"soundRecords", report.records}});
  };
  for (std::string line; file.next(line);) {
    ++number;
    const bool last_without_newline = file.is_cut();
    const std::string_view hash = sound_hash(line);
    if (hash.empty()) {
      // A crash can cut a line, and the next record then says so. Anything else is tampering.
      if (torn_before || (!last_without_newline && line.ends_with("\"}")))
        return broken("the hash does not fit the text");
      torn_before = true;
      continue;
    }
    const auto record = parse_json(line);
    if (!record) return broken("it is not JSON");
    const Json* previous = record->find("prev");
    // The predecessor of the first file may have been removed, so its last hash is unknown.
    if (report.records == 0 && previous != nullptr && previous->is_string() &&
        !previous->as_string().empty() && record->find("kind") != nullptr &&
        *record->find("kind") == Json("continued")) {
      report.begins_later = true;
      report.last_hash = previous->as_string();
    }
    if (previous == nullptr || !previous->is_string() || previous->as_string() != report.last_hash)
      return broken("it does not follow the record before it: a record is missing, added or moved");
    if (record->find("recordsLost") != nullptr)
      return broken(
          "records before it were removed: Helve missed the newest one, whose hash is in recordsLost");
    if (torn_before && record->find("tornLineBefore") == nullptr)
      return broken("the line before it is not a record");
    report.torn_lines += torn_before ? 1 : 0;
    torn_before = false;
    report.last_hash = hash;
    report.has_head = report.has_head || hash == head;
    ++report.records;
    if (on_progress && report.records % 1000 == 0) on_progress(report.records);
  }
  if (file.failed()) return fail(system_error(concat("Cannot read ", path), errno));
  report.torn_lines += torn_before ? 1 : 0;
  // Helve never leaves a file without a record.
  if (number == 0)
    return fail(ErrorCode::kConflict, concat(path, " is empty: its records were removed."),
                "Compare it with a backup, and find out what can write there.",
                JsonObject{{"soundRecords", report.records}});
  return {};
}

// Whether the newest record that Helve wrote is there; `sound` says what is known of the files.
Expected<void> check_head(const std::string& path, const std::optional<AuditHead>& head,
                          const Expected<void>& sound, AuditReport& report) {
  const bool is_missing = !sound && sound.error().code == ErrorCode::kNotFound && report.records == 0;
  if (!head || report.has_head || !(sound || is_missing)) return sound;
  if (sound && !head->is_of_this_boot) {
    report.lost_in_crash = head->hash;
    return sound;
  }
  return fail(
      ErrorCode::kConflict,
      is_missing ? concat(path, " is missing, although Helve wrote records.")
                 : concat(path, " lacks the newest record that Helve wrote (hash ", head->hash,
                          "): its end was cut, or all of it was replaced."),
      concat("Compare it with a backup, and find out what can write there. To begin a new record, move all "
             "audit files elsewhere, also ",
             audit_head_path(path), "."),
      JsonObject{{"soundRecords", report.records}, {"lostHash", head->hash}});
}

std::vector<std::string> files_of(const std::string& path) {
  std::vector<std::string> files;
  for (AuditPart& part : older_audit_parts(path)) files.push_back(std::move(part.path));
  files.push_back(path);
  return files;
}

}  // namespace

Expected<AuditReport> verify_audit(const std::string& path,
                                   const std::function<void(std::size_t)>& on_progress) {
  for (;;) {
    // First, because other processes go on writing.
    const auto head = read_audit_head(path);
    const std::vector<std::string> files = files_of(path);
    AuditReport report;
    Expected<void> sound;
    for (auto file = files.begin(); sound && file != files.end(); ++file)
      sound = verify_file(*file, head ? head->hash : "", report, on_progress);
    sound = check_head(path, head, sound, report);
    if (sound) return report;
    if (sound.error().code == ErrorCode::kNotFound && report.records > 0)
      sound = fail(ErrorCode::kConflict,
                   concat(path, " is missing, and ", count_of(report.records, "record"),
                          " before it are there: the newest records were removed."),
                   "Compare with a backup, and find out what can write there.",
                   JsonObject{{"soundRecords", report.records}});
    // Another process may begin the next file while this one is read.
    if (files_of(path) == files) return fail(std::move(sound).error());
  }
}

}  // namespace helve::core
