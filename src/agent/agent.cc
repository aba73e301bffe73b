#include "agent/agent.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "agent/entries.h"
#include "agent/resume_note.h"
#include "agent/turn.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/approval.h"
#include "core/session_state.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"
#include "model/make_model.h"
#include "settings/groups.h"

namespace helve::agent {
namespace {

constexpr std::string_view kSessionPrefix = "ses";

// Only the first line, to keep lists of sessions readable.
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

Json details_of(const Transcript& transcript, const ModelPrices& prices) {
  const model::Usage& usage = transcript.usage();
  JsonObject details{{"usage", JsonObject{{"inputTokens", usage.input_tokens},
                                          {"cachedTokens", usage.cached_tokens},
                                          {"outputTokens", usage.output_tokens}}}};
  if (const double cost = model::cost_of(usage, prices); cost > 0) details.append("cost", cost);
  return details;
}

Json question_json(const Question& question) {
  JsonArray choices;
  JsonArray labels;
  for (const Choice& choice : question.choices) {
    choices.emplace_back(choice.value);
    labels.emplace_back(choice.label.empty() ? choice.value : choice.label);
  }
  JsonObject json{
      {"question", question.text}, {"choices", std::move(choices)}, {"labels", std::move(labels)}};
  if (question.several) json.append("multiple", true);
  JsonArray suggested;
  for (const std::string& value : question.suggested) suggested.emplace_back(value);
  if (!suggested.empty()) json.append("default", std::move(suggested));
  if (!question.form.is_null()) json.append("form", question.form);
  if (!question.url.empty()) json.append("url", question.url);
  return json;
}

Approval not_recorded(std::string_view what, const Error& error) {
  return {.reason = concat(what, " could not be recorded: ", error.message), .asked = false};
}

// An approval applies only until the call starts. Questions from a running call are new questions.
std::optional<Approval> answered_before(const Journal& journal, const std::string& call_id) {
  const auto call = journal.open_call(call_id);
  return call && !call->started ? call->approval : std::nullopt;
}

// Records each request in the journal before it asks the user, and reuses answers given before a restart.
// Owned by the session; the journal must outlive it.
class RecordingApprover final : public Approver {
 public:
  // With a null `user`, only answers from before the restart count.
  RecordingApprover(Journal& journal, std::shared_ptr<Approver> user)
      : journal_(journal), user_(std::move(user)) {}
  [[nodiscard]] bool can_ask(const PermissionRequest& request) override;
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] bool asks_together() const override { return user_ && user_->asks_together(); }

 private:
  Journal& journal_;
  const std::shared_ptr<Approver> user_;
};

// Records each question in the journal and publishes it as an event before it asks the user.
// Owned by the session; the journal must outlive it.
class RecordingAsker final : public Asker {
 public:
  RecordingAsker(Journal& journal, std::shared_ptr<Asker> user) : journal_(journal), user_(std::move(user)) {}
  // Sets the event stream. Call it before the first question.
  void follow(EventStream& events) { events_ = &events; }
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  Journal& journal_;
  const std::shared_ptr<Asker> user_;
  std::atomic<EventStream*> events_ = nullptr;
};

bool RecordingApprover::can_ask(const PermissionRequest& request) {
  if (answered_before(journal_, request.call_id)) return true;
  return user_ && user_->can_ask(request);
}

Approval RecordingApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  if (auto answered = answered_before(journal_, request.call_id)) return *std::move(answered);
  if (!user_) return {.granted = false, .asked = false};
  if (auto paused = journal_.add(PauseEntry{request.call_id, core::permission_request_json(request)});
      !paused)
    return not_recorded("the question", paused.error());
  Approval approval = user_->ask(request, stop);
  // An interruption is not an answer: the question is asked again when the session continues.
  if ((!approval.granted && stop.stop_requested()) || !approval.asked) return approval;
  if (auto noted = journal_.add(ApprovalEntry{request.call_id, approval}); !noted)
    return not_recorded("the answer", noted.error());
  return approval;
}

Expected<Reply> RecordingAsker::ask(const Question& question, const std::stop_token& stop) {
  Json request = question_json(question);
  if (auto paused = journal_.add(PauseEntry{question.call_id, request}); !paused) return fail(paused.error());
  const auto call = journal_.open_call(question.call_id);
  if (EventStream* events = events_)
    events->publish(ToolEvent{.kind = ToolEvent::Kind::kQuestionRequired,
                              .call_id = question.call_id,
                              .tool = call ? call->planned.requested.name : std::string(),
                              .server = question.server,
                              .question_request = std::move(request)});
  return user_->ask(question, stop);
}

}  // namespace

Agent::Agent(AgentParts parts, std::unique_ptr<Journal> journal)
    : parts_(std::move(parts)),
      limits_(parts_.limits.value_or(settings::Groups(parts_.runtime.settings()).agent)),
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
                "Resume it there: pass --workspace.");
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
  // A session without an approver denies at once every call that needs approval.
  if (parts_.approver || has_earlier_approvals(journal_->transcript()))
    options.approver = std::make_shared<RecordingApprover>(*journal_, parts_.approver);
  std::shared_ptr<RecordingAsker> asker;
  if (parts_.asker) options.asker = asker = std::make_shared<RecordingAsker>(*journal_, parts_.asker);
  auto session = parts_.runtime.open_session(std::move(options));
  if (!session) return fail(session.error());
  session_ = *std::move(session);
  session_->state().directory.hold();  // protects the directory from cleanup while the session is in use
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

Ending Agent::continue_turn(const std::stop_token& stop) {
  if (!can_continue())
    return end_turn({"error", Error{ErrorCode::kInvalidArgument, "The session has no unfinished turn.",
                                    "Send a new message."}});
  return run_turn(stop, resume_note(transcript(), ended_commands_, Next::kContinue));
}

// Model APIs require a result for every call before the next user message.
Expected<void> Agent::settle_waiting_calls() {
  const Round* round = transcript().open_round();
  if (round == nullptr) return {};
  std::vector<Entry> results;
  for (const CallState& call : round->calls) {
    if (call.result) continue;
    const Error error = call.started ? outcome_unknown(call.planned.requested)
                                     : Error{ErrorCode::kCancelled,
                                             "The call was not made: the user sent a new message instead."};
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
             .prices = settings::Groups(parts_.runtime.settings()).model.prices,
             .stop = stop,
             .note = std::move(note)});
  Ending ending = turn.run();
  if (turn.note_delivered()) ended_commands_.clear();
  return end_turn(std::move(ending));
}

Ending Agent::end_turn(Ending ending) {
  if (!journal_->failure()) {
    auto added = journal_->add(EndEntry{ending.reason, ending.error ? ending.error->message : std::string()});
    if (!added) ending = {"error", added.error()};
  }
  EventStream& events = session_->events();
  if (ending.error)
    events.publish(
        ErrorEvent{.message = ending.error->message, .code = ending.error->code, .hint = ending.error->hint});
  events.publish(EndEvent{
      ending.reason, details_of(transcript(), settings::Groups(parts_.runtime.settings()).model.prices)});
  return ending;
}

std::shared_ptr<Session> Agent::user_session() const {
  return std::make_shared<Session>(Session::Parts{
      .id = session_->id(),
      .output_directory = session_->output_directory(),
      .mode = Mode::kFull,
      .permissions = std::make_shared<ModePermissions>(Mode::kFull),
      .approver = {},
      .asker = {},
      .sampler = {},
      .state =
          std::shared_ptr<SessionState>(session_, &session_->state())});  // shares ownership with session_
}

Expected<void> Agent::note_model() { return journal_->add({}, {.model = parts_.model.name()}); }

std::string Agent::last_text() const {
  const Round* round = transcript().last_round();
  return round == nullptr ? std::string() : round->reply.text;
}

}  // namespace helve::agent
