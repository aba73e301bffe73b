#include "mcp/client_user.h"

#include <array>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/approval.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kOnce = "allow once";
constexpr std::string_view kForSession = "allow for this session";
constexpr std::string_view kAlways = "always allow";
constexpr std::string_view kRefuse = "refuse";

std::string message_for(const PermissionRequest& request) {
  const core::ApprovalText text = core::approval_text(request);
  std::string message = concat(text.title, ":\n", text.subject);
  for (const auto& [label, value] : text.facts) message += concat("\n", label, ": ", value);
  return message;
}

Json approval_form(const PermissionRequest& request) {
  JsonArray decisions{kOnce, kForSession};
  if (!request.rules.empty()) decisions.emplace_back(kAlways);
  decisions.emplace_back(kRefuse);
  return JsonObject{
      {"type", "object"},
      {"properties", JsonObject{{"decision", JsonObject{{"type", "string"},
                                                        {"title", "Decision"},
                                                        {"enum", std::move(decisions)},
                                                        {"default", kOnce}}},
                                {"reason", JsonObject{{"type", "string"},
                                                      {"title", "Reason"},
                                                      {"description", "Sent to the model if you refuse."}}}}},
      {"required", JsonArray{"decision"}}};
}

std::string member(const Json& answer, std::string_view name) {
  const Json* content = answer.find("content");
  return content != nullptr ? text_in(*content, name) : std::string();
}

bool is_accepted(const Json& answer) {
  const Json* action = answer.find("action");
  return action != nullptr && *action == Json("accept");
}

// One field: a choice, several choices, or free text.
Json question_field(const Question& question) {
  Json field = JsonObject{{"title", "Answer"}};
  JsonArray values;
  JsonArray labelled;
  for (const Choice& choice : question.choices) {
    values.emplace_back(choice.value);
    labelled.push_back(
        JsonObject{{"const", choice.value}, {"title", choice.label.empty() ? choice.value : choice.label}});
  }
  if (question.choices.empty()) {
    field["type"] = "string";
  } else if (question.several) {
    field["type"] = "array";
    field["items"] = JsonObject{{"anyOf", std::move(labelled)}};
  } else {
    field["type"] = "string";
    field["oneOf"] = std::move(labelled);
  }
  if (question.suggested.empty()) return field;
  if (question.several)
    field["default"] = JsonArray(question.suggested.begin(), question.suggested.end());
  else
    field["default"] = question.suggested.front();
  return field;
}

Json question_form(const Question& question) {
  if (!question.form.is_null()) return question.form;
  Json properties = JsonObject{{"answer", question_field(question)}};
  JsonArray required{"answer"};
  if (!question.choices.empty() && question.own_words) {
    properties["other"] =
        JsonObject{{"type", "string"}, {"title", "Other"}, {"description", "In your own words."}};
    required.clear();
  }
  return JsonObject{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Reply reply_of(const Question& question, const Json& answer) {
  const Json* action = answer.find("action");
  if (!is_accepted(answer))
    return {.kind = action != nullptr && *action == Json("decline") ? Reply::Kind::kDeclined
                                                                    : Reply::Kind::kDismissed};
  Reply reply{.kind = Reply::Kind::kAnswered};
  const Json* content = answer.find("content");
  if (content != nullptr) reply.form = *content;
  if (!question.form.is_null() || content == nullptr) return reply;
  if (const std::string other = member(answer, "other"); !other.empty()) reply.values.push_back(other);
  const Json* chosen = content->find("answer");
  if (chosen != nullptr && chosen->is_string()) reply.values.push_back(chosen->as_string());
  if (chosen != nullptr && chosen->is_array())
    for (const Json& value : chosen->as_array())
      if (value.is_string()) reply.values.push_back(value.as_string());
  return reply;
}

}  // namespace

void ClientUser::add(const std::string& call_id, const std::shared_ptr<ActiveRequest>& request) {
  const std::lock_guard lock(mutex_);
  requests_[call_id] = request;
}

void ClientUser::remove(const std::string& call_id) {
  const std::lock_guard lock(mutex_);
  requests_.erase(call_id);
}

std::shared_ptr<ActiveRequest> ClientUser::find(const std::string& call_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(call_id);
  return found != requests_.end() ? found->second.lock() : nullptr;
}

bool ClientUser::can_ask(const PermissionRequest& request) {
  const auto active = find(request.call_id);
  return active && active->info().offers({"elicitation"});
}

Approval ClientUser::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const auto active = find(request.call_id);
  if (!active) return {.asked = false};
  // The key is random, so that a client cannot answer before it was asked.
  const auto answers = active->ask({{.key = random_id("approve"),
                                     .method = "elicitation/create",
                                     .params = JsonObject{{"message", message_for(request)},
                                                          {"requestedSchema", approval_form(request)}}}},
                                   {.stop = stop});
  if (!answers)
    return {.reason = concat("the client could not ask: ", answers.error().message), .asked = false};
  const Json& answer = answers->front();
  const std::string decision = member(answer, "decision");
  if (!is_accepted(answer)) {
    const Json* action = answer.find("action");
    const bool closed = action == nullptr || *action != Json("decline");
    return {.reason = closed ? "The question was closed without an answer." : ""};
  }
  if (decision == kOnce) return {.granted = true};
  if (decision == kForSession) return {.granted = true, .scope = ApprovalScope::kSession};
  if (decision == kAlways && !request.rules.empty())
    return {.granted = true, .scope = ApprovalScope::kAlways};
  if (decision == kRefuse) return {.reason = member(answer, "reason")};
  return {.reason = concat("The client answered \"", shortened(decision, 60),
                           "\", which is not one of the offered decisions.")};
}

Expected<Reply> ClientUser::ask(const Question& question, const std::stop_token& stop) {
  const auto request = find(question.call_id);
  if (!request)
    return fail(ErrorCode::kUnavailable, "The client has disconnected, so the question cannot be asked.");
  Json params = JsonObject{{"message", question.text}};
  if (!question.url.empty()) {
    params["mode"] = "url";
    params["url"] = question.url;
    params["elicitationId"] = random_id("visit");
  } else {
    params["requestedSchema"] = question_form(question);
  }
  AskLimits limits{.stop = stop};
  if (question.patience) limits.deadline = std::chrono::steady_clock::now() + *question.patience;
  auto answers = request->ask(
      {{.key = random_id("question"), .method = "elicitation/create", .params = params}}, limits);
  if (!answers) return fail(answers.error());
  return reply_of(question, answers->front());
}

Expected<Json> ClientUser::sample(const std::string& call_id, const Json& parameters,
                                  const std::stop_token& stop) {
  const auto request = find(call_id);
  if (!request) return fail(ErrorCode::kUnavailable, "The client has disconnected.");
  auto answers =
      request->ask({{.key = random_id("sample"), .method = "sampling/createMessage", .params = parameters}},
                   {.stop = stop});
  if (!answers) return fail(answers.error());
  return std::move(answers->front());
}

}  // namespace helve::mcp
