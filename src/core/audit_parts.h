// The files of the record of calls: the one that is written, and older ones that it goes on from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve {

// "audit-000007.jsonl" beside "audit.jsonl".
struct AuditPart {
  std::string path = {};
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
};

// The older files, in their order, without the one that is written.
[[nodiscard]] std::vector<AuditPart> older_audit_parts(const std::string& path);

// Puts a file that begins with this line in the place of the one that is written, which keeps its records
// under the next number; at no moment is there none. For whoever holds the lock of the file that is written.
[[nodiscard]] Expected<void> begin_audit_part(const std::string& path, std::string_view first_line);

// Removes the oldest files until all together have no more bytes.
void remove_old_audit_parts(const std::string& path, std::uint64_t most_bytes);

}  // namespace helve
