#include "workspace/history_outline.h"

#include <algorithm>
#include <new>

namespace helve {

FileOutline outline_of(const FileRecord& file) {
  return {.path = file.path,
          .new_path = file.new_path,
          .action = file.action(),
          .undoable = file.undoable,
          .removed_bytes = file.splice.changed_size(SpliceSide::kOld),
          .added_bytes = file.splice.changed_size(SpliceSide::kNew)};
}

bool RecordOutline::touches(std::string_view path) const {
  return std::ranges::any_of(
      files, [&](const FileOutline& file) { return file.path == path || file.new_path == path; });
}

std::string_view HistoryOutline::keep(std::string_view text) {
  if (text.empty()) return {};
  char* const place = static_cast<char*>(memory_->allocate(text.size(), 1));
  std::ranges::copy(text, place);
  return {place, text.size()};
}

std::string_view HistoryOutline::keep_once(std::string_view text) {
  if (const auto found = kept_.find(text); found != kept_.end()) return *found;
  return *kept_.insert(keep(text)).first;
}

void HistoryOutline::add(const ChangeRecord& record, RecordState state) {
  std::span<const FileOutline> files;
  if (const std::size_t count = record.files.size(); count > 0) {
    auto* const place =
        static_cast<FileOutline*>(memory_->allocate(count * sizeof(FileOutline), alignof(FileOutline)));
    for (std::size_t i = 0; i < count; ++i) {
      FileOutline outline = outline_of(record.files[i]);
      outline.path = keep_once(outline.path);
      outline.new_path = keep_once(outline.new_path);
      new (place + i) FileOutline(outline);
    }
    files = {place, count};
  }
  records_.push_back({.id = keep(record.id),
                      .role = record.role,
                      .state = state,
                      .time_ms = record.time_ms,
                      .subject = keep(record.subject),
                      .origin = {.session = keep_once(record.origin.session),
                                 .call = keep(record.origin.call),
                                 .tool = keep_once(record.origin.tool)},
                      .files = files});
}

}  // namespace helve
