#include "agent/agent.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/pauses.h"
#include "agent/result_text.h"
#include "agent/resume_note.h"
#include "agent/turn.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/session_state.h"
#include "model/make_model.h"

namespace helve::agent {
namespace {

constexpr std::string_view kSessionPrefix = "ses";

// The first line, so that a list of sessions can be read.
std::string title_from(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return shortened(to_valid_utf8(trimmed.substr(0, trimmed.find('\n'))), 100);
}

bool has_earlier_approvals(const Transcript& transcript) {
  const Round* round = transcript.open_round();
  return round != nullptr && std::ranges::any_of(round->calls, [](const CallState& call) {
           return call.approval.has_value() && !call.result;
         });
}

Json details_of(const Transcript& transcript, const Settings::Prices& prices) {
  const model::Usage& usage = transcript.usage();
  JsonObject details{{"usage", JsonObject{{"inputTokens", usage.input_tokens},
                                          {"cachedTokens", usage.cached_tokens},
                                          {"outputTokens", usage.output_tokens}}}};
  if (const double cost = model::cost_of(usage, prices); cost > 0) details.append("cost", cost);
  return details;
}

}  // namespace

Agent::Agent(AgentParts parts, std::unique_ptr<Journal> journal)
    : parts_(std::move(parts)),
      limits_(parts_.limits.value_or(parts_.runtime.settings().agent)),
      journal_(std::move(journal)) {}

Agent::~Agent() = default;

Expected<std::unique_ptr<Agent>> Agent::begin(AgentParts parts, std::string system_prompt,
                                              std::string_view title) {
  auto journal = Journal::create(parts.records,
                                 {.id = random_id(kSessionPrefix),
                                  .title = title_from(title),
                                  .workspace = parts.runtime.workspace(),
                                  .model = parts.model.name()},
                                 {std::move(system_prompt)});
  if (!journal) return fail(journal.error());
  std::unique_ptr<Agent> agent(new Agent(std::move(parts), *std::move(journal)));
  if (auto opened = agent->open_session(); !opened) return fail(opened.error());
  return agent;
}

Expected<std::unique_ptr<Agent>> Agent::resume(AgentParts parts, std::string_view id) {
  const auto record = parts.records.load(id);
  if (!record) return fail(record.error());
  if (record->workspace != parts.runtime.workspace())
    return fail(ErrorCode::kInvalidArgument,
                concat("The session ", id, " belongs to the workspace ", record->workspace, "."),
                "Go on with it there: --workspace.");
  auto journal = Journal::open(parts.records, id);
  if (!journal) return fail(journal.error());
  if (record->model != parts.model.name())
    if (auto noted = (*journal)->add({}, {.model = parts.model.name()}); !noted) return fail(noted.error());
  std::unique_ptr<Agent> agent(new Agent(std::move(parts), *std::move(journal)));
  agent->ended_commands_ = commands_left_running(agent->transcript());
  if (auto opened = agent->open_session(); !opened) return fail(opened.error());
  return agent;
}

Expected<void> Agent::open_session() {
  SessionOptions options{.id = journal_->id(), .mode = parts_.mode, .first_event = journal_->first_event()};
  // Without a person the session has no approver, and what would be asked is denied at once.
  if (parts_.approver || has_earlier_approvals(journal_->transcript()))
    options.approver = std::make_shared<PausingApprover>(*journal_, parts_.approver);
  std::shared_ptr<PausingAsker> asker;
  if (parts_.asker) options.asker = asker = std::make_shared<PausingAsker>(*journal_, parts_.asker);
  auto session = parts_.runtime.open_session(std::move(options));
  if (!session) return fail(session.error());
  session_ = *std::move(session);
  session_->state().directory.hold();  // nobody deletes a session that is at work
  if (asker) asker->follow(session_->events());
  return {};
}

Ending Agent::say(std::string_view text, const std::stop_token& stop) {
  std::string note = resume_note(transcript(), ended_commands_, Next::kNewTurn);
  auto said = settle_waiting_calls();
  std::vector<Entry> entries;
  if (!note.empty()) entries.emplace_back(UserEntry{std::move(note), true});
  entries.emplace_back(UserEntry{to_valid_utf8(text)});
  if (said) said = journal_->add(entries);
  if (!said) return end_turn({"error", said.error()});
  ended_commands_.clear();
  return run_turn(stop);
}

Ending Agent::go_on(const std::stop_token& stop) {
  if (!can_go_on())
    return end_turn({"error", Error{ErrorCode::kInvalidArgument, "The session has nothing left to do.",
                                    "Say what to do next."}});
  return run_turn(stop, resume_note(transcript(), ended_commands_, Next::kGoesOn));
}

// The person went on to something else: a model must have an answer to each of its calls before.
Expected<void> Agent::settle_waiting_calls() {
  const Round* round = transcript().open_round();
  if (round == nullptr) return {};
  std::vector<Entry> results;
  for (const CallState& call : round->calls) {
    if (call.result) continue;
    const Error error = call.started
                            ? outcome_unknown(call.planned.said)
                            : Error{ErrorCode::kCancelled,
                                    "The call was not made: the user interrupted, and says something else."};
    results.emplace_back(result_of(call.planned.id, error));
  }
  return journal_->add(results);
}

Ending Agent::run_turn(const std::stop_token& stop, std::string note) {
  Turn turn({.runtime = parts_.runtime,
             .session = session_,
             .model = parts_.model,
             .journal = *journal_,
             .settings = limits_,
             .prices = parts_.runtime.settings().model.prices,
             .stop = stop,
             .note = std::move(note)});
  Ending ending = turn.run();
  if (turn.has_told_note()) ended_commands_.clear();
  return end_turn(std::move(ending));
}

Ending Agent::end_turn(Ending ending) {
  if (!journal_->trouble()) {
    auto added = journal_->add(EndEntry{ending.reason, ending.error ? ending.error->message : std::string()});
    if (!added) ending = {"error", added.error()};
  }
  EventStream& events = session_->events();
  if (ending.error)
    events.publish(ErrorEvent{ending.error->message, JsonObject{{"code", to_string(ending.error->code)},
                                                                {"hint", ending.error->hint}}});
  events.publish(EndEvent{ending.reason, details_of(transcript(), parts_.runtime.settings().model.prices)});
  return ending;
}

std::shared_ptr<Session> Agent::person_session() const {
  return std::make_shared<Session>(Session::Parts{
      .id = session_->id(),
      .output_directory = session_->output_directory(),
      .mode = Mode::kFull,
      .permissions = std::make_shared<ModePermissions>(Mode::kFull),
      .approver = {},
      .asker = {},
      .sampler = {},
      .state = std::shared_ptr<SessionState>(session_, &session_->state())});  // the session keeps it alive
}

Expected<void> Agent::note_model() { return journal_->add({}, {.model = parts_.model.name()}); }

std::string Agent::last_text() const {
  const Round* round = transcript().last_round();
  return round == nullptr ? std::string() : round->reply.text;
}

}  // namespace helve::agent
