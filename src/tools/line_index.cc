#include "tools/line_index.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::tools {
namespace {

constexpr std::size_t kBuffer = std::size_t{128} * 1024;  // fits in the CPU cache between copy and count
constexpr std::size_t kCheckpointDistance = std::size_t{1024} * 1024;

// Fills the buffer from an offset. Returns fewer bytes only at the end of the file.
Expected<std::string_view> read_at(const workspace::OpenFile& file, char* buffer, std::size_t size,
                                   std::size_t offset) {
  std::size_t have = 0;
  while (have < size) {
    const ssize_t count =
        ::pread(file.fd.get(), buffer + have, size - have, static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return fail(system_error(concat("Cannot read ", workspace::printable_path(file.path)), errno));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  return std::string_view(buffer, have);
}

}  // namespace

Expected<LineIndex> LineIndex::scan(const workspace::OpenFile& file, const text::TextEncoding& encoding,
                                    const ScanOptions& options) {
  LineIndex index;
  index.text_start_ = text::bom_of(encoding).size();
  text::LineCounter counter(encoding.charset);
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  for (std::size_t offset = index.text_start_;; offset += kBuffer) {
    if (options.stop.stop_requested())
      return fail(ErrorCode::kCancelled,
                  concat("Counting the lines of ", workspace::printable_path(file.path), " was cancelled."));
    if ((offset - index.text_start_) % kCheckpointDistance == 0)
      index.checkpoints_.push_back({offset, counter.lf_so_far(), counter.cr_so_far()});
    const auto chunk = read_at(file, buffer.get(), kBuffer, offset);
    if (!chunk) return fail(chunk.error());
    counter.add(*chunk);
    index.complete_ = chunk->size() < kBuffer;
    const std::size_t lines = counter.lf_so_far() > 0 ? counter.lf_so_far() : counter.cr_so_far();
    if (index.complete_ || lines >= options.enough_lines) break;
  }
  index.counts_ = counter.counts();
  index.format_ = index.counts_.format(encoding.charset);
  return index;
}

Expected<LineRange> LineIndex::read(const workspace::OpenFile& file, std::size_t first, std::size_t count,
                                    std::size_t max_bytes) const {
  LineRange range;
  range.first = std::max<std::size_t>(first, 1);
  if (range.first > lines() || count == 0) return range;
  range.lines = std::min(count, lines() - range.first + 1);

  const auto breaks_before = [&](const Checkpoint& at) { return counts_.uses_cr() ? at.cr : at.lf; };
  // The last checkpoint with fewer breaks before it than the line: the line starts at or after it.
  const auto after = std::ranges::partition_point(
      checkpoints_, [&](const Checkpoint& at) { return breaks_before(at) < range.first; });
  const Checkpoint& start = after == checkpoints_.begin() ? checkpoints_.front() : *(after - 1);
  std::size_t skip = range.first - 1 - breaks_before(start);
  std::size_t missing = range.lines;  // line breaks still to be found

  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  for (std::size_t offset = start.offset; missing > 0; offset += kBuffer) {
    auto chunk = read_at(file, buffer.get(), kBuffer, offset);
    if (!chunk) return fail(chunk.error());
    const bool at_end = chunk->size() < kBuffer;
    if (skip > 0) {
      const auto begin = text::find_line(*chunk, skip + 1, format_);
      const std::size_t passed = begin ? skip : text::count_breaks(*chunk, format_);
      skip -= passed;
      chunk->remove_prefix(begin.value_or(chunk->size()));
    }
    if (skip == 0) {
      const auto end = text::find_line(*chunk, missing + 1, format_);
      missing -= end ? missing : text::count_breaks(*chunk, format_);
      range.bytes += chunk->substr(0, end.value_or(chunk->size()));
    }
    if (range.bytes.size() > max_bytes) {
      range.cut = true;
      range.bytes.resize(max_bytes / 2 * 2);
      break;
    }
    if (at_end) break;
  }
  // Cut, at the last line, or in a file that has shrunk: count the actual lines.
  if (missing > 0) {
    const text::LineCounts kept = text::count_lines(range.bytes, format_.charset);
    range.lines = std::min(range.lines, kept.lines());
  }
  return range;
}

}  // namespace helve::tools
