// Tells records of the history log that were damaged from those that a crash cut short.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "changes/history_frames.h"
#include "changes/history_record.h"

namespace helve::changes {

// A record that was complete and is not what was written. Its content may be wrong, so use it only for
// messages. Without a change id, nothing of it could be read.
struct DamagedRecord {
  std::uint64_t offset = 0;  // in the log
  std::uint64_t bytes = 0;
  std::size_t follows = 0;  // the number of good records before it
  std::string change_id = {};
  std::string tool = {};
  std::vector<std::string> paths = {};

  [[nodiscard]] bool is_readable() const { return !change_id.empty(); }
};

// "The history has a damaged record (chg_…, made by edit, of a.txt)."
[[nodiscard]] std::string damage_text(const DamagedRecord& record);

// A part of the log between good records.
struct LogGap {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t follows = 0;
};

// Adds the damaged records of the gap. A process that was killed while it appended leaves the beginning of a
// pending record; that is not damage.
void find_damage(LogReader& reader, const LogGap& gap, std::vector<DamagedRecord>& damaged);

}  // namespace helve::changes
