// The steps of a session as recorded in its journal, and their encoding in the store.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "helve/permissions.h"
#include "helve/result.h"
#include "model/model.h"
#include "store/session_records.h"

namespace helve::agent {

// The start of a session. The system prompt never changes, so that prompt caches hit.
struct BeginEntry {
  std::string system = {};
};

// A message to the model, from the user or from Helve.
struct UserEntry {
  std::string text = {};
  bool from_helve = false;
};

// A call that the model requested.
struct PlannedCall {
  std::string id = {};             // unique in the session; used in events and audit
  model::ToolCall requested = {};  // carries the id that the model gave
};

// A reply of the model.
struct ReplyEntry {
  Json raw = {};
  std::string text = {};
  std::vector<PlannedCall> calls = {};
  model::StopReason stop = model::StopReason::kEnd;
  model::Usage usage = {};
  std::int64_t estimate = 0;  // estimated input tokens, computed before the request
};

// The user is asked for an approval or for the answer to a tool's question. The session waits.
struct PauseEntry {
  std::string call = {};
  Json request = {};
};

struct ApprovalEntry {
  std::string call = {};
  Approval approval = {};
};

// From here on the call may have had effects.
struct StartEntry {
  std::string call = {};
  bool changes = false;  // the call does more than read
};

// The state of a command that may outlive its call.
struct CommandStatus {
  std::string id = {};  // its sessionId; empty when the result is not about a command
  bool running = false;
};

struct ResultEntry {
  std::string call = {};
  std::string content = {};  // what the model reads
  std::string code = {};     // error code; empty on success
  std::string summary = {};  // for the user
  std::int64_t milliseconds = 0;
  std::vector<Image> images = {};
  std::vector<std::string> paths = {};  // affected files
  CommandStatus command = {};

  [[nodiscard]] bool failed() const { return !code.empty(); }
};

// From now on the results of the first `rounds` rounds are sent as stubs.
struct TrimEntry {
  std::size_t rounds = 0;
};

// The end of a turn.
struct EndEntry {
  std::string reason = {};
  std::string message = {};
};

using Entry = std::variant<BeginEntry, UserEntry, ReplyEntry, PauseEntry, ApprovalEntry, StartEntry,
                           ResultEntry, TrimEntry, EndEntry>;

[[nodiscard]] store::EventDraft to_draft(const Entry& entry);
// Fails for entries that a newer Helve or another program wrote.
[[nodiscard]] Expected<Entry> to_entry(const store::SessionEvent& event);

// "end", "tool-calls", "length", …
[[nodiscard]] std::string_view to_string(model::StopReason stop);

// The error for a call that was running when Helve was killed.
[[nodiscard]] Error outcome_unknown(const model::ToolCall& call);

[[nodiscard]] ResultEntry result_of(const std::string& call, const Answer& answer);
// For a call that was not made or whose outcome is unknown.
[[nodiscard]] ResultEntry result_of(const std::string& call, const Error& error);

}  // namespace helve::agent
