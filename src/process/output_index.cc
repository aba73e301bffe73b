#include "process/output_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace helve::process {
namespace {

constexpr std::size_t kMostMarks = 8192;

constexpr std::size_t kMostRecent = 1024;
constexpr std::uint64_t kErrorBit = std::uint64_t{1} << 63;

// On disk: the offset with the stream in its highest bit, then the stream's own offset.
using Record = std::array<std::uint64_t, 2>;

Record record_of(const Segment& segment) {
  return {segment.offset | (segment.stream == Stream::kError ? kErrorBit : 0), segment.stream_offset};
}

Segment segment_of(const Record& record) {
  return {record[0] & ~kErrorBit, record[1], (record[0] & kErrorBit) != 0 ? Stream::kError : Stream::kOutput};
}

}  // namespace

std::uint64_t count_line_breaks(std::string_view bytes) {
  // Compilers vectorise a block of fixed size counted in a byte that cannot overflow.
  constexpr std::size_t kBlock = 128;
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    std::uint8_t in_block = 0;
    const char* block = bytes.data() + at;
    for (std::size_t i = 0; i < kBlock; ++i)
      in_block = static_cast<std::uint8_t>(in_block + (block[i] == '\n'));
    count += in_block;
  }
  for (; at < bytes.size(); ++at) count += bytes[at] == '\n' ? 1U : 0U;
  return count;
}

std::size_t after_line_break(std::string_view bytes, std::uint64_t nth) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < nth; ++i) {
    const std::size_t found = bytes.find('\n', at);
    if (found == std::string_view::npos) return std::string_view::npos;
    at = found + 1;
  }
  return at;
}

void LineMarks::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::uint64_t next = marks_.back().offset + distance_;
    const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), next - bytes_));
    breaks_ += count_line_breaks(bytes.substr(0, step));
    bytes_ += step;
    bytes.remove_prefix(step);
    if (bytes_ < next) continue;
    marks_.push_back({bytes_, breaks_});
    if (marks_.size() < kMostMarks) continue;
    for (std::size_t i = 1; i * 2 < marks_.size(); ++i) marks_[i] = marks_[i * 2];
    marks_.resize((marks_.size() + 1) / 2);
    distance_ *= 2;
  }
}

LineMarks::Mark LineMarks::before_offset(std::uint64_t offset) const {
  return *std::prev(std::ranges::upper_bound(marks_, offset, {}, &Mark::offset));
}

LineMarks::Mark LineMarks::before_break(std::uint64_t breaks) const {
  return *std::prev(std::ranges::upper_bound(marks_, breaks, {}, &Mark::breaks));
}

OutputSegments::OutputSegments(std::string path, std::uint64_t most_file_bytes)
    : path_(std::move(path)), most_file_bytes_(most_file_bytes) {}

OutputSegments::~OutputSegments() {
  if (file_) ::unlink(path_.c_str());
}

void OutputSegments::append(Stream stream, std::uint64_t offset, std::size_t size) {
  std::uint64_t& of_stream = stream_bytes_[index(stream)];
  if (recent_.empty() || recent_.back().stream != stream) {
    if (recent_.size() >= kMostRecent) move_to_file();
    recent_.push_back({offset, of_stream, stream});
  }
  of_stream += size;
}

void OutputSegments::move_to_file() {
  if (!file_ && stored_ == 0 && lost_before_ == 0)
    file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  // The newest segment stays, because the next append may extend it.
  const Segment newest = recent_.back();
  std::vector<Record> records;
  for (std::size_t i = 0; i + 1 < recent_.size(); ++i) records.push_back(record_of(recent_[i]));
  const std::size_t bytes = records.size() * sizeof(Record);
  const std::uint64_t start = stored_ * sizeof(Record);
  const bool fits = file_ && lost_before_ == 0 && start + bytes <= most_file_bytes_;
  if (fits &&
      ::pwrite(file_.get(), records.data(), bytes, static_cast<off_t>(start)) == static_cast<ssize_t>(bytes))
    stored_ += records.size();
  else
    lost_before_ = newest.offset;
  recent_.assign(1, newest);
}

Segment OutputSegments::at(std::uint64_t position) const {
  if (position >= stored_) return recent_[static_cast<std::size_t>(position - stored_)];
  Record record{};
  const auto offset = static_cast<off_t>(position * sizeof record);
  while (::pread(file_.get(), record.data(), sizeof record, offset) < 0 && errno == EINTR) {
  }
  return segment_of(record);
}

template <class IsBefore>
std::uint64_t OutputSegments::last_position(const IsBefore& is_before) const {
  std::uint64_t low = 0;
  std::uint64_t high = count();
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_before(at(middle)) ? low : high) = middle;
  }
  return low;
}

std::vector<Segment> OutputSegments::between(std::uint64_t from, std::uint64_t to, std::size_t most) const {
  std::vector<Segment> found;
  if (count() == 0) return found;
  std::uint64_t position = last_position([&](const Segment& segment) { return segment.offset <= from; });
  for (; position < count() && found.size() < most; ++position) {
    const Segment segment = at(position);
    if (segment.offset >= to) break;
    found.push_back(segment);
  }
  return found;
}

std::vector<Segment> OutputSegments::of_stream(Stream stream, std::uint64_t stream_offset,
                                               std::size_t most) const {
  std::vector<Segment> found;
  if (count() == 0) return found;
  // How many bytes of `stream` come before the segment. For a segment of the other stream that is its offset
  // minus its stream offset.
  const auto bytes_before = [&](const Segment& segment) {
    return segment.stream == stream ? segment.stream_offset : segment.offset - segment.stream_offset;
  };
  std::uint64_t position =
      last_position([&](const Segment& segment) { return bytes_before(segment) <= stream_offset; });
  for (; position < count() && found.size() < most; ++position) found.push_back(at(position));
  return found;
}

}  // namespace helve::process
