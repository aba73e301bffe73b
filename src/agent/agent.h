// An agent: a model, the tools of a runtime, and a session that outlives its program.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/guards.h"
#include "agent/journal.h"
#include "helve/runtime.h"
#include "model/model.h"
#include "store/session_records.h"

namespace helve::agent {

struct AgentParts {
  // All three must outlive the agent.
  Runtime& runtime;
  model::Model& model;
  store::SessionRecords& records;
  std::optional<Mode> mode = {};               // instead of the setting's
  std::shared_ptr<Approver> approver = {};     // null: what would be asked is denied
  std::shared_ptr<Asker> asker = {};           // null: questions are answered with an error
  std::optional<Settings::Agent> limits = {};  // instead of the runtime's settings
};

// Used from one thread at a time, by its owner; the session's events may be followed from any. What a turn
// does is only in those events; the last of them is its EndEvent.
class Agent {
 public:
  // A new session, with this system prompt for as long as it lives.
  [[nodiscard]] static Expected<std::unique_ptr<Agent>> begin(AgentParts parts, std::string system_prompt,
                                                              std::string_view title);
  // A session that another program, or this one before, has begun.
  [[nodiscard]] static Expected<std::unique_ptr<Agent>> resume(AgentParts parts, std::string_view id);
  ~Agent();

  [[nodiscard]] const std::string& id() const { return journal_->id(); }
  [[nodiscard]] Session& session() { return *session_; }
  // For calls that the person makes: they need no leave, their events are not the model's, and they reach the
  // same changes and background commands. Must not outlive the agent.
  [[nodiscard]] std::shared_ptr<Session> person_session() const;
  [[nodiscard]] const Transcript& transcript() const { return journal_->transcript(); }
  [[nodiscard]] const Settings::Agent& limits() const { return limits_; }

  // The person says something, and the model works until it is through. Calls that were left waiting are
  // taken to be unwanted.
  [[nodiscard]] Ending say(std::string_view text, const std::stop_token& stop = {});
  // Whether a turn was cut off, by a crash, an interruption or a limit.
  [[nodiscard]] bool can_go_on() const { return transcript().is_unfinished(); }
  // Finishes it. What was asked is asked again; what ran is not run again.
  [[nodiscard]] Ending go_on(const std::stop_token& stop = {});

  // The model has another name now; the record of the session says so.
  [[nodiscard]] Expected<void> note_model();

  // What the model said last.
  [[nodiscard]] std::string last_text() const;

 private:
  Agent(AgentParts parts, std::unique_ptr<Journal> journal);
  [[nodiscard]] Expected<void> open_session();
  [[nodiscard]] Expected<void> settle_waiting_calls();
  // `note`: for the model, before it speaks.
  [[nodiscard]] Ending run_turn(const std::stop_token& stop, std::string note = {});
  [[nodiscard]] Ending end_turn(Ending ending);

  AgentParts parts_;
  const Settings::Agent limits_;
  std::unique_ptr<Journal> journal_;  // outlives the session, whose approver writes to it
  std::shared_ptr<Session> session_;
  std::vector<std::string> ended_commands_;  // with the program before, until the model is told
};

}  // namespace helve::agent
