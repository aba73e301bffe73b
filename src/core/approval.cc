#include "core/approval.h"

#include "base/json_read.h"
#include "base/strings.h"

namespace helve::core {

Json permission_request_json(const PermissionRequest& request) {
  std::string description = concat(request.tool, " wants to ", name_of(request.effect), ": ",
                                   request.subject.empty() ? to_text(request.arguments) : request.subject);
  if (!request.explanation.empty()) description += concat(" (", request.explanation, ")");
  JsonArray rules;
  for (const std::string& rule : request.rules) rules.emplace_back(rule);
  JsonObject json{{"toolName", request.tool},
                  {"serverName", server_name(request.server)},
                  {"permissionType", name_of(request.effect)},
                  {"description", std::move(description)},
                  {"reason", request.reason},
                  {"index", request.batch_index},
                  {"count", request.batch_count},
                  {"alwaysRules", std::move(rules)}};
  if (!request.session_covers.empty()) json.append("sessionCovers", request.session_covers);
  if (!request.diff.empty()) {
    json.append("diff", request.diff);
    json.append("diffIsWhole", request.diff_is_whole);
  }
  return json;
}

namespace {

// Adds how a command runs, as far as its command line does not show it.
void add_manner(const PermissionRequest& request, ApprovalText& text) {
  if (request.tool != "exec") return;
  const Json& arguments = request.arguments;
  if (const std::string input = text_in(arguments, "stdin"); !input.empty())
    text.facts.emplace_back("Input", to_text(Json(input)));
  if (flag_in(arguments, "background"))
    text.facts.emplace_back("Runs", "in the background, until it is ended");
  if (const Json* yield = arguments.find("yieldMs"); yield != nullptr && yield->is_number())
    text.facts.emplace_back("Runs",
                            concat("on in the background when it takes over ", to_text(*yield), " ms"));
  if (flag_in(arguments, "tty")) text.facts.emplace_back("Has", "a terminal");
  if (const Json* limit = arguments.find("timeoutMs"); limit != nullptr && limit->is_number())
    text.facts.emplace_back("Time limit", concat(to_text(*limit), " ms"));
}

}  // namespace

ApprovalText approval_text(const PermissionRequest& request) {
  const std::string command = request.tool == "exec" ? text_in(request.arguments, "command") : std::string();
  ApprovalText text{.title = concat(request.tool, " wants to ", name_of(request.effect),
                                    request.batch_count > 1
                                        ? concat(" (", request.batch_index, " of ", request.batch_count, ")")
                                        : std::string()),
                    .subject = !command.empty()           ? command
                               : !request.subject.empty() ? request.subject
                               : !request.diff.empty()    ? request.diff
                                                          : to_text(request.arguments)};
  const auto add = [&](std::string_view label, std::string value) {
    if (!value.empty()) text.facts.emplace_back(label, std::move(value));
  };
  if (!request.diff.empty() && !request.diff_is_whole) add("The whole call", to_text(request.arguments));
  if (request.tool == "exec") {
    const std::string directory = text_in(request.arguments, "cwd");
    add("In", directory.empty() ? request.workspace : directory);
  }
  add_manner(request, text);
  for (const std::string& note : request.notes) add("Note", note);
  add("Why", request.explanation);
  add("Asked because", request.reason);
  add("For this session would allow", request.session_covers);
  for (const std::string& rule : request.rules) add("Always, in this folder, would allow", rule);
  return text;
}

Error permission_denied(const PermissionRequest& request, const Decision& decision) {
  return {.code = ErrorCode::kPermissionDenied,
          .message = concat(request.tool, " was not allowed: ", decision.reason, "."),
          .hint = "Find another way, or ask the user: modes, rules and hooks are theirs to change.",
          .details = JsonObject{{"reason", decision.reason}, {"effect", name_of(request.effect)}},
          .kind = decision.by_mode ? ErrorKind::kDeniedByMode : ErrorKind::kDeniedByRule};
}

Error nobody_to_ask(const PermissionRequest& request, Decision decision, std::string_view obstacle) {
  if (obstacle.empty()) obstacle = "the user cannot be asked";
  if (obstacle.ends_with('.')) obstacle.remove_suffix(1);
  decision.reason += concat(", and ", obstacle);
  Error error = permission_denied(request, decision);
  const std::string_view mode =
      request.effect == Effect::kWrite ? "--mode accept-edits or --mode full" : "--mode full";
  const std::string rule = request.rules.empty()       ? "a rule"
                           : request.rules.size() == 1 ? concat("the rule ", request.rules.front())
                                                       : concat("the rules ", enumerate(request.rules));
  error.hint = concat("Find another way, or tell the user, who can start helve with ", mode, " or add ", rule,
                      " to the setting permissions.allow.");
  if (!request.rules.empty()) error.details["rules"] = JsonArray(request.rules.begin(), request.rules.end());
  return error;
}

Error user_denied(const PermissionRequest& request, const Approval& answer) {
  std::string message = "User denied the request.";
  if (!answer.reason.empty()) message += concat(" Reason: ", answer.reason);
  JsonObject details{{"tool", request.tool}, {"reason", answer.reason}};
  if (!answer.by.empty()) details.append("by", answer.by);
  return {.code = ErrorCode::kPermissionDenied,
          .message = std::move(message),
          .hint = "Do not try the same again; find another way or ask.",
          .details = std::move(details),
          .kind = ErrorKind::kDeniedByUser};
}

}  // namespace helve::core
