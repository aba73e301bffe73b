#include "core/approval.h"

#include "base/strings.h"

namespace helve {

Json permission_request_json(const PermissionRequest& request) {
  std::string description =
      concat(request.tool, " wants to ", name_of(request.effect), ": ", to_text(request.arguments));
  if (!request.explanation.empty()) description += concat(" (", request.explanation, ")");
  JsonArray rules;
  for (const std::string& rule : request.rules) rules.emplace_back(rule);
  return JsonObject{{"toolName", request.tool},
                    {"serverName", request.server},
                    {"permissionType", name_of(request.effect)},
                    {"description", std::move(description)},
                    {"reason", request.reason},
                    {"alwaysRules", std::move(rules)}};
}

Error permission_denied(const PermissionRequest& request, std::string_view reason) {
  return {ErrorCode::kPermissionDenied, concat(request.tool, " was not allowed: ", reason, "."),
          "Find another way, or ask the user: modes, rules and hooks are theirs to change.",
          JsonObject{{"reason", reason}, {"effect", name_of(request.effect)}}};
}

Error user_denied(const PermissionRequest& request, std::string_view reason) {
  std::string message = "User denied the request.";
  if (!reason.empty()) message += concat(" Reason: ", reason);
  return {ErrorCode::kPermissionDenied, std::move(message),
          "Do not try the same again; find another way or ask.",
          JsonObject{{"tool", request.tool}, {"reason", reason}}};
}

}  // namespace helve
