// The hash of the newest audit record, kept beside the audit: it shows that the end of the audit was cut, or
// that the whole was replaced, which the chain of the records alone cannot show.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file_io.h"

namespace helve::core {

struct AuditHead {
  std::string hash;
  // Written since the machine started. A power failure can take the newest records from the disk and leave
  // the head.
  bool is_of_this_boot = true;
};

// "…/audit.head" for "…/audit.jsonl".
[[nodiscard]] std::string audit_head_path(const std::string& path);
// Nothing if there is none.
[[nodiscard]] std::optional<AuditHead> read_audit_head(const std::string& path);
// Whether a record of the audit has this hash.
[[nodiscard]] bool audit_has_hash(const std::string& path, std::string_view hash);

// Best effort: an old head is still the hash of a record. Used under the audit's lock.
class AuditHeadWriter {
 public:
  void write(const std::string& path, std::string_view hash);

 private:
  UniqueFd file_;
  std::string boot_;
};

}  // namespace helve::core
