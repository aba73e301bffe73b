// The steps of a session as its journal keeps them, and their form in the store.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "helve/permissions.h"
#include "model/model.h"
#include "store/session_records.h"

namespace helve::agent {

// A session began, with this system prompt; it stays the same, so that prompt caches hit.
struct BeginEntry {
  std::string system = {};
};

// Somebody spoke to the model: the person, or Helve in the person's place.
struct UserEntry {
  std::string text = {};
  bool from_helve = false;
};

// A call that the model wants.
struct PlannedCall {
  std::string id = {};        // of no other call of the session; the one in events and audit
  model::ToolCall said = {};  // with the id that the model gave it
};

// The model spoke.
struct ReplyEntry {
  Json raw = {};
  std::string text = {};
  std::vector<PlannedCall> calls = {};
  model::StopReason stop = model::StopReason::kEnd;
  model::Usage usage = {};
  std::int64_t estimate = 0;  // of the tokens that it read, before it was asked
};

// A person is asked: for leave, or a question of a tool. The session waits.
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
  bool changes = false;  // more than reading
};

// What a result says about a command that may outlive its call.
struct CommandNews {
  std::string id = {};  // its sessionId; empty when the result is about none
  bool running = false;
};

struct ResultEntry {
  std::string call = {};
  std::string content = {};  // what the model reads
  std::string code = {};     // of the error; empty when all went well
  std::string summary = {};  // for people
  std::int64_t milliseconds = 0;
  std::vector<Image> images = {};
  std::vector<std::string> paths = {};  // of files that it touched
  CommandNews command = {};

  [[nodiscard]] bool failed() const { return !code.empty(); }
};

// The results of so many rounds, from the beginning, are sent as stubs from now on.
struct TrimEntry {
  std::size_t rounds = 0;
};

// The turn is over.
struct EndEntry {
  std::string reason = {};
  std::string message = {};
};

using Entry = std::variant<BeginEntry, UserEntry, ReplyEntry, PauseEntry, ApprovalEntry, StartEntry,
                           ResultEntry, TrimEntry, EndEntry>;

[[nodiscard]] store::EventDraft to_draft(const Entry& entry);
// Fails for what a newer Helve, or somebody else, has written.
[[nodiscard]] Expected<Entry> to_entry(const store::SessionEvent& event);

// "end", "tool-calls", "length", …
[[nodiscard]] std::string_view to_string(model::StopReason stop);

}  // namespace helve::agent
