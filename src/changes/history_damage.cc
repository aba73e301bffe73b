#include "changes/history_damage.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

// A power loss can leave zeros where the last record should be.
bool is_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

// True for the beginning of a frame that was being appended, up to `rest`, which is all that there is of it.
bool is_torn(std::string_view rest, const Frame& frame) {
  const Frame good;
  const std::string_view mark(good.mark.data(), good.mark.size());
  if (!rest.starts_with(mark.substr(0, rest.size()))) return false;
  if (rest.size() <= offsetof(Frame, state)) return true;
  if (state_of(frame.state) != RecordState::kPending) return false;
  return rest.size() < sizeof frame || frame.length > rest.size() - sizeof frame;
}

// If the length is what is damaged, there is no frame behind it, and the rest is taken for one record.
std::uint64_t size_of(std::string_view rest, const Frame& frame) {
  if (rest.size() < sizeof frame || frame.length > rest.size() - sizeof frame) return rest.size();
  const std::uint64_t size = sizeof frame + frame.length;
  const Frame good;
  const std::string_view mark(good.mark.data(), good.mark.size());
  return rest.substr(size).starts_with(mark) ? size : rest.size();
}

DamagedRecord read_damaged(const LogGap& gap, std::uint64_t at, std::string_view bytes) {
  DamagedRecord damaged{.offset = at, .bytes = bytes.size(), .follows = gap.follows};
  if (bytes.size() <= sizeof(Frame)) return damaged;
  const auto record = decode_record(bytes.substr(sizeof(Frame)));
  if (!record) return damaged;
  damaged.change_id = record->id;
  damaged.tool = record->origin.tool;
  for (const FileRecord& file : record->files)
    for (const std::string* path : {&file.path, &file.new_path})
      if (!path->empty()) damaged.paths.push_back(*path);
  return damaged;
}

}  // namespace

std::string damage_text(const DamagedRecord& record) {
  if (!record.is_readable())
    return concat("The history has a damaged record (", with_thousands(record.bytes), " bytes at offset ",
                  record.offset, " of its log). It cannot be read.");
  std::vector<std::string> paths;
  for (const std::string& path : record.paths) paths.push_back(workspace::printable_path(path));
  return concat("The history has a damaged record (", workspace::printable_path(record.change_id),
                record.tool.empty() ? "" : concat(", made by ", workspace::printable_path(record.tool)),
                paths.empty() ? "" : concat(", of ", enumerate(paths)), ").");
}

void find_damage(LogReader& reader, const LogGap& gap, std::vector<DamagedRecord>& damaged) {
  std::uint64_t at = gap.begin;
  while (at < gap.end) {
    const std::string_view rest = reader.at(at, gap.end - at);
    if (rest.size() < gap.end - at) return;  // the disk cannot be read; that is another error
    Frame frame;
    std::memcpy(&frame, rest.data(), std::min(sizeof frame, rest.size()));
    if (is_zero(rest) || is_torn(rest, frame)) return;
    const std::uint64_t size = size_of(rest, frame);
    damaged.push_back(read_damaged(gap, at, rest.substr(0, size)));
    at += size;
  }
}

}  // namespace helve::changes
