#include "agent/pauses.h"

#include "base/strings.h"
#include "core/approval.h"

namespace helve::agent {
namespace {

Json question_json(const Question& question) {
  JsonArray choices;
  for (const Choice& choice : question.choices)
    choices.push_back(
        JsonObject{{"value", choice.value}, {"label", choice.label.empty() ? choice.value : choice.label}});
  JsonObject json{{"question", question.text}, {"choices", std::move(choices)}};
  if (question.several) json.append("multiple", true);
  JsonArray suggested;
  for (const std::string& value : question.suggested) suggested.emplace_back(value);
  if (!suggested.empty()) json.append("default", std::move(suggested));
  if (!question.form.is_null()) json.append("form", question.form);
  if (!question.url.empty()) json.append("url", question.url);
  return json;
}

Approval not_written(std::string_view what, const Error& error) {
  return {.reason = concat(what, " could not be written down: ", error.message), .asked = false};
}

// What a call asks while it runs is another question than whether it may run.
std::optional<Approval> answered_before(const Journal& journal, const std::string& call_id) {
  const auto call = journal.open_call(call_id);
  return call && !call->started ? call->approval : std::nullopt;
}

}  // namespace

bool PausingApprover::can_ask(const PermissionRequest& request) {
  if (answered_before(journal_, request.call_id)) return true;
  return person_ && person_->can_ask(request);
}

Approval PausingApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  if (auto answered = answered_before(journal_, request.call_id)) return *std::move(answered);
  if (!person_) return {.granted = false, .asked = false};
  if (auto paused = journal_.add(PauseEntry{request.call_id, permission_request_json(request)}); !paused)
    return not_written("the question", paused.error());
  Approval approval = person_->ask(request, stop);
  // A person who interrupts has not answered; the question comes again when the session goes on.
  if ((!approval.granted && stop.stop_requested()) || !approval.asked) return approval;
  if (auto noted = journal_.add(ApprovalEntry{request.call_id, approval}); !noted)
    return not_written("the answer", noted.error());
  return approval;
}

Expected<Reply> PausingAsker::ask(const Question& question, const std::stop_token& stop) {
  Json request = question_json(question);
  if (auto paused = journal_.add(PauseEntry{question.call_id, request}); !paused) return fail(paused.error());
  const auto call = journal_.open_call(question.call_id);
  if (EventStream* events = events_)
    events->publish(ToolEvent{.kind = ToolEvent::Kind::kQuestionRequired,
                              .call_id = question.call_id,
                              .tool = call ? call->planned.said.name : std::string(),
                              .server = question.server,
                              .question_request = std::move(request)});
  return person_->ask(question, stop);
}

}  // namespace helve::agent
