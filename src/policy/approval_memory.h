// Remembers which calls the user approved for the session.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decide.h"

namespace helve::policy {

// Identifies a call. Reads the disk.
//   command      text, directory, input, environment changes, and the identity of the programs and scripts
//   that
//                it starts, so that a changed binary needs a new approval
//   file change  the tool and the files
//   other        the tool and all its arguments
[[nodiscard]] std::string fingerprint(const RequestedCall& call, const Surroundings& surroundings);
// How input to a background command is approved. Input that arrives in pieces, or is edited by the terminal,
// can evade rules that restrict commands. If such rules exist, the user approves each write.
enum class InputApproval { kWholeJob, kEachWrite };
// Describes to the user what an approval of this call for the session covers.
[[nodiscard]] std::string covered_in_session(const RequestedCall& call, InputApproval input);

// Owned by the session; may be used from all threads at once. Holds fingerprints only: rules are stored in
// the settings.
class ApprovalMemory {
 public:
  // All calls like this one may run until the session ends.
  void grant_for_session(const RequestedCall& call, const Surroundings& surroundings);

  // Use only for calls whose verdict is ask: an approval never overrides a deny rule.
  [[nodiscard]] bool has(const RequestedCall& call, const Surroundings& surroundings);
  // Whether the user approved all input to the background command. For InputApproval::kWholeJob.
  [[nodiscard]] bool has_input_to_job(const RequestedCall& call);

 private:
  std::mutex mutex_;
  std::set<std::string> granted_;
};

}  // namespace helve::policy
