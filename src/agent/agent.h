// Runs an agent: connects a model with a runtime's tools in a session that survives restarts.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/journal.h"
#include "agent/turn_limits.h"
#include "helve/runtime_class.h"
#include "model/model.h"
#include "store/session_records.h"

namespace helve::agent {

struct AgentParts {
  // The runtime, the model and the records must outlive the agent.
  Runtime& runtime;
  model::Model& model;
  store::SessionRecords& records;
  std::optional<Mode> mode = {};             // overrides the setting
  std::shared_ptr<Approver> approver = {};   // null: calls that need approval are denied
  std::shared_ptr<Asker> asker = {};         // null: questions fail with an error
  std::optional<AgentSettings> limits = {};  // overrides the runtime's settings
};

// Used by its owner from one thread at a time. The session's events may be followed from any thread.
// A turn reports everything it does through these events and ends with an EndEvent.
class Agent {
 public:
  // Starts a new session. The system prompt stays the same for the whole session.
  [[nodiscard]] static Expected<std::unique_ptr<Agent>> begin(AgentParts parts, std::string system_prompt,
                                                              std::string_view title);
  // Reopens a recorded session.
  [[nodiscard]] static Expected<std::unique_ptr<Agent>> resume(AgentParts parts, std::string_view id);
  ~Agent();

  [[nodiscard]] const std::string& id() const { return journal_->id(); }
  [[nodiscard]] Session& session() { return *session_; }
  // A session for the user's own calls. They need no approval and publish no events to session(), but share
  // its undo history and background commands. Must not outlive the agent.
  [[nodiscard]] std::shared_ptr<Session> user_session() const;
  [[nodiscard]] const Transcript& transcript() const { return journal_->transcript(); }
  [[nodiscard]] const AgentSettings& limits() const { return limits_; }

  // Sends a user message and runs the model until the turn ends. Calls that still wait for approval are
  // cancelled.
  [[nodiscard]] Ending say(std::string_view text, const std::stop_token& stop = {});
  // Whether a crash, an interruption or a limit cut the last turn off.
  [[nodiscard]] bool can_continue() const { return transcript().is_unfinished(); }
  // Finishes that turn. Unanswered questions are asked again; calls that ran are not repeated.
  [[nodiscard]] Ending continue_turn(const std::stop_token& stop = {});

  // Records the model's current name in the session.
  [[nodiscard]] Expected<void> note_model();

  // The text of the model's last reply.
  [[nodiscard]] std::string last_text() const;

 private:
  Agent(AgentParts parts, std::unique_ptr<Journal> journal);
  [[nodiscard]] Expected<void> open_session();
  [[nodiscard]] Expected<void> settle_waiting_calls();
  // `note` is added to the conversation before the model replies.
  [[nodiscard]] Ending run_turn(const std::stop_token& stop, std::string note = {});
  [[nodiscard]] Ending end_turn(Ending ending);

  AgentParts parts_;
  const AgentSettings limits_;
  std::unique_ptr<Journal> journal_;  // outlives the session, whose approver writes to it
  std::shared_ptr<Session> session_;
  std::vector<std::string>
      ended_commands_;  // ended with the previous process; empty once reported to the model
};

}  // namespace helve::agent
