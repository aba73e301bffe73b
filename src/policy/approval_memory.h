// What a person has agreed to in this session, and to exactly what.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "policy/decide.h"

namespace helve::policy {

// What a call is recognised by. A command: its text, directory, input, environment changes, and the identity
// of the programs and scripts that it starts, so that a changed binary is asked about again. A file change:
// the tool and the files. Anything else: the tool with all its arguments. Sees the disk.
[[nodiscard]] std::string fingerprint(const Call& call, const Surroundings& surroundings);
// How input for a background command is agreed to: what comes in pieces, or is edited on its way, escapes the
// rules that restrict commands, so that where there are any a person sees each piece.
enum class Input { kAsAWhole, kPieceByPiece };
// For people: what a yes to this call for the session would cover.
[[nodiscard]] std::string covered_in_session(const Call& call, Input input);

// Owned by the session; may be used from all threads at once. Holds fingerprints, never rules: those are
// written to the settings and loaded from there.
class ApprovalMemory {
 public:
  // All calls like this one may run until the session ends.
  void grant_for_session(const Call& call, const Surroundings& surroundings);

  // Only to be asked about calls that would otherwise be asked about: what a rule denies stays denied.
  [[nodiscard]] bool has(const Call& call, const Surroundings& surroundings);
  // The same for input to a background command: whether the person agreed to input to it. For
  // Input::kAsAWhole.
  [[nodiscard]] bool has_conversation(const Call& call);

 private:
  std::mutex mutex_;
  std::set<std::string> granted_;
};

}  // namespace helve::policy
