#include "process/output_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"

namespace helve::process {
namespace {

constexpr std::size_t kReadStep = std::size_t{256} << 10;
constexpr std::size_t kMostSegmentsAtOnce = 256;

// The index may use a sixteenth of the log's limit.
std::uint64_t index_bytes(const OutputLimits& limits) { return limits.disk_bytes / 16; }

}  // namespace

Expected<std::unique_ptr<OutputLog>> OutputLog::create(const std::string& directory,
                                                       const OutputLimits& limits) {
  std::string path = concat(directory, "/", random_id("out"), ".log");
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(system_error(concat("Cannot create ", path, " for the command's output"), errno));
  return std::unique_ptr<OutputLog>(new OutputLog(std::move(path), std::move(file), limits));
}

OutputLog::OutputLog(std::string path, UniqueFd file, const OutputLimits& limits)
    : path_(std::move(path)),
      file_(std::move(file)),
      limits_(limits),
      segments_(std::make_unique<OutputSegments>(path_ + ".index", index_bytes(limits))) {}

OutputLog::~OutputLog() {
  if (!kept_) ::unlink(path_.c_str());
}

OutputLog::DiskState OutputLog::write_to_disk(std::string_view bytes) const {
  // Only the appending thread changes these, so it may read them without the lock.
  auto [written, trouble] = DiskState{on_disk_, trouble_};
  if (!trouble.empty()) return {written, std::move(trouble)};
  const std::uint64_t room = limits_.disk_bytes - std::min(limits_.disk_bytes, written);
  if (bytes.size() > room) {
    bytes = bytes.substr(0, static_cast<std::size_t>(room));
    trouble =
        concat("the output is larger than the ", with_thousands(limits_.disk_bytes), " bytes that are kept");
  }
  if (trouble.empty() && !leaves_room(written, bytes.size())) {
    trouble = concat("the disk of ", path_, " is almost full, so the rest of the output is not kept");
    bytes = {};
  }
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      trouble = concat("cannot write ", path_, ": ", errno_text(count < 0 ? errno : ENOSPC));
      break;
    }
    written += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {written, std::move(trouble)};
}

// Asks now and then only.
bool OutputLog::leaves_room(std::uint64_t written, std::size_t more) const {
  constexpr std::uint64_t kStep = std::uint64_t{4} << 20;
  if (written / kStep == (written + more) / kStep) return true;
  struct statvfs disk{};
  if (::fstatvfs(file_.get(), &disk) != 0) return true;
  return disk.f_bavail * disk.f_frsize >= limits_.free_bytes;
}

void OutputLog::remember(std::string_view bytes) {
  if (bytes.size() >= limits_.memory_bytes) {
    ring_ = bytes.substr(bytes.size() - limits_.memory_bytes);
    ring_start_ = 0;
    return;
  }
  if (ring_.size() < limits_.memory_bytes) {
    const std::size_t room = std::min(bytes.size(), limits_.memory_bytes - ring_.size());
    ring_.append(bytes.substr(0, room));
    bytes.remove_prefix(room);
  }
  while (!bytes.empty()) {
    const std::size_t step = std::min(bytes.size(), ring_.size() - ring_start_);
    std::ranges::copy(bytes.substr(0, step), ring_.begin() + static_cast<std::ptrdiff_t>(ring_start_));
    ring_start_ = (ring_start_ + step) % ring_.size();
    bytes.remove_prefix(step);
  }
}

void OutputLog::append(Stream stream, std::string_view bytes) {
  if (bytes.empty()) return;
  const std::lock_guard appending(append_mutex_);
  DiskState disk = write_to_disk(bytes);
  // One critical section, so that readers see consistent counts.
  const std::lock_guard lock(mutex_);
  on_disk_ = disk.bytes;
  trouble_ = std::move(disk.trouble);
  const std::size_t which = stream == Stream::kError ? 1 : 0;
  const std::uint64_t before = marks_.breaks();
  segments_->append(stream, marks_.bytes(), bytes.size());
  marks_.append(bytes);
  breaks_[which] += marks_.breaks() - before;
  last_unfinished_ = unfinished_[which] = bytes.back() != '\n';
  remember(bytes);
}

void OutputLog::clear() {
  const std::lock_guard appending(append_mutex_);
  // This frees space on a full disk, so writing may work again.
  const bool emptied = ::ftruncate(file_.get(), 0) == 0;
  const std::lock_guard lock(mutex_);
  marks_ = {};
  const std::uint64_t next = ++generation_;
  segments_ = std::make_unique<OutputSegments>(concat(path_, ".index", next), index_bytes(limits_));
  breaks_[0] = breaks_[1] = 0;
  unfinished_[0] = unfinished_[1] = last_unfinished_ = false;
  ring_.clear();
  ring_start_ = 0;
  on_disk_ = 0;
  trouble_ = emptied ? "" : concat("cannot empty ", path_);
}

void OutputLog::shrink() {
  constexpr std::size_t kKept = std::size_t{8} << 10;  // the last lines are read most often
  const std::lock_guard appending(append_mutex_);
  const std::lock_guard lock(mutex_);
  if (ring_.size() <= kKept || on_disk_ < marks_.bytes()) return;
  ring_ = from_memory(marks_.bytes() - kKept, kKept);
  ring_start_ = 0;
}

void OutputLog::keep() {
  const std::lock_guard lock(mutex_);
  kept_ = true;
}

void OutputLog::discard() {
  const std::lock_guard lock(mutex_);
  if (!kept_) ::unlink(path_.c_str());
}

OutputState OutputLog::state() const {
  const std::lock_guard lock(mutex_);
  const auto lines = [](std::uint64_t breaks, bool unfinished) { return breaks + (unfinished ? 1 : 0); };
  return {.all = {marks_.bytes(), lines(marks_.breaks(), last_unfinished_)},
          .output = {segments_->stream_bytes(Stream::kOutput), lines(breaks_[0], unfinished_[0])},
          .error = {segments_->stream_bytes(Stream::kError), lines(breaks_[1], unfinished_[1])},
          .on_disk = on_disk_,
          .in_memory = ring_.size(),
          .trouble = trouble_};
}

std::uint64_t OutputLog::size() const {
  const std::lock_guard lock(mutex_);
  return marks_.bytes();
}

std::uint64_t OutputLog::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

std::string OutputLog::from_memory(std::uint64_t offset, std::size_t most) const {
  const std::size_t skip = static_cast<std::size_t>(offset - (marks_.bytes() - ring_.size()));
  most = std::min(most, ring_.size() - skip);
  std::string bytes;
  bytes.reserve(most);
  const std::size_t start = (ring_start_ + skip) % ring_.size();
  bytes.append(ring_, start, most);
  if (bytes.size() < most) bytes.append(ring_, 0, most - bytes.size());
  return bytes;
}

Expected<OutputPart> OutputLog::read(std::uint64_t offset, std::size_t most) const {
  std::uint64_t on_disk = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t end = marks_.bytes();
    if (offset >= end || most == 0) return OutputPart{std::min(offset, end), {}};
    const std::uint64_t memory_start = end - ring_.size();
    on_disk = on_disk_;
    if (offset >= memory_start) return OutputPart{offset, from_memory(offset, most)};
    if (offset >= on_disk)
      return OutputPart{memory_start, from_memory(memory_start, most)};  // the bytes between are lost
  }
  OutputPart part{offset, {}};
  part.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, on_disk - offset)));
  std::size_t had = 0;
  while (had < part.bytes.size()) {
    const ssize_t got = ::pread(file_.get(), part.bytes.data() + had, part.bytes.size() - had,
                                static_cast<off_t>(offset + had));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(concat("Cannot read ", path_), errno));
    if (got == 0) break;  // cleared meanwhile
    had += static_cast<std::size_t>(got);
  }
  part.bytes.resize(had);
  return part;
}

Expected<OutputPart> OutputLog::read_stream(Stream stream, std::uint64_t offset, std::size_t most) const {
  OutputPart part{offset, {}};
  while (part.bytes.size() < most) {
    const std::uint64_t wanted = part.offset + part.bytes.size();
    std::vector<Segment> pieces;
    std::uint64_t stream_end = 0;
    std::uint64_t end = 0;
    {
      const std::lock_guard lock(mutex_);
      stream_end = segments_->stream_bytes(stream);
      end = marks_.bytes();
      if (wanted >= stream_end) break;
      pieces = segments_->of_stream(stream, wanted, kMostSegmentsAtOnce);
    }
    bool advanced = false;
    for (std::size_t i = 0; i < pieces.size() && part.bytes.size() < most; ++i) {
      if (pieces[i].stream != stream) continue;
      const std::uint64_t now = part.offset + part.bytes.size();
      const std::uint64_t piece_end = i + 1 < pieces.size() ? pieces[i + 1].offset : end;
      const std::uint64_t size = piece_end - pieces[i].offset;
      // The last piece of a batch may continue; the next batch takes the rest.
      if (now >= pieces[i].stream_offset + size) continue;
      if (now < pieces[i].stream_offset) {
        // The bytes before are lost.
        if (!part.bytes.empty()) return part;
        part.offset = pieces[i].stream_offset;
      }
      std::uint64_t at = part.offset + part.bytes.size() - pieces[i].stream_offset;
      while (at < size && part.bytes.size() < most) {
        const std::size_t step = static_cast<std::size_t>(
            std::min<std::uint64_t>({size - at, most - part.bytes.size(), kReadStep}));
        auto read_part = read(pieces[i].offset + at, step);
        if (!read_part) return fail(read_part.error());
        if (read_part->bytes.empty() || read_part->offset != pieces[i].offset + at) return part;
        part.bytes += read_part->bytes;
        at += read_part->bytes.size();
        advanced = true;
      }
    }
    if (!advanced) break;
  }
  return part;
}

Expected<std::uint64_t> OutputLog::line_offset(std::uint64_t line) const {
  if (line <= 1) return 0;
  LineMarks::Mark mark;
  std::uint64_t end = 0;
  {
    const std::lock_guard lock(mutex_);
    end = marks_.bytes();
    if (line - 1 > marks_.breaks()) return end;
    mark = marks_.before_break(line - 2);  // the mark before the break that ends the previous line
  }
  while (mark.offset < end) {
    auto part = read(mark.offset, kReadStep);
    if (!part) return fail(part.error());
    if (part->bytes.empty()) return end;
    if (part->offset != mark.offset) return part->offset;  // within the lost bytes
    const std::uint64_t breaks = count_line_breaks(part->bytes);
    if (mark.breaks + breaks >= line - 1)
      return mark.offset + after_line_break(part->bytes, line - 1 - mark.breaks);
    mark.offset += part->bytes.size();
    mark.breaks += breaks;
  }
  return end;
}

Expected<std::uint64_t> OutputLog::line_breaks_before(std::uint64_t offset) const {
  LineMarks::Mark mark;
  {
    const std::lock_guard lock(mutex_);
    if (offset >= marks_.bytes()) return marks_.breaks();
    mark = marks_.before_offset(offset);
    // Near the end, count back from the total: that needs no bytes that may be lost.
    const std::uint64_t memory_start = marks_.bytes() - ring_.size();
    if (offset >= memory_start) return marks_.breaks() - count_line_breaks(from_memory(offset, ring_.size()));
  }
  while (mark.offset < offset) {
    const std::uint64_t rest = std::min<std::uint64_t>(kReadStep, offset - mark.offset);
    auto part = read(mark.offset, static_cast<std::size_t>(rest));
    if (!part) return fail(part.error());
    if (part->bytes.empty() || part->offset != mark.offset) break;
    mark.breaks += count_line_breaks(part->bytes);
    mark.offset += part->bytes.size();
  }
  return mark.breaks;
}

std::vector<Segment> OutputLog::segments(std::uint64_t from, std::uint64_t to, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return segments_->between(from, to, most);
}

}  // namespace helve::process
