// The files of the audit: the current one, and the older ones that it continues.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::core {

// "audit-000007.jsonl" beside "audit.jsonl".
struct AuditPart {
  std::string path = {};
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
};

// The older files, in order, without the current one.
[[nodiscard]] std::vector<AuditPart> older_audit_parts(const std::string& path);

// Starts a new current file with this line. The previous one keeps its records under the next number. There
// is a current file at every moment. The caller holds the lock of the current file.
[[nodiscard]] Expected<void> begin_audit_part(const std::string& path, std::string_view first_line);

// Removes the oldest files until all together have at most this many bytes.
void remove_old_audit_parts(const std::string& path, std::uint64_t most_bytes);

}  // namespace helve::core
