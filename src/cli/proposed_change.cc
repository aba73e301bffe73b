#include "cli/proposed_change.h"

namespace helve::cli {

std::string change_in(const Answer& answer) {
  if (!answer.ok()) return {};
  const Json* diff = answer.result->data.find("diff");
  if (diff != nullptr && diff->is_string()) return diff->as_string();
  // A patch over several files has it in its text.
  const std::string& content = answer.result->content;
  const bool changed = answer.result->data.find("addedLines") != nullptr;
  const std::size_t begin = content.starts_with("--- ") ? 0 : content.find("\n--- ");
  if (!changed || begin == std::string::npos || !content.contains("\n+++ ")) return {};
  return content.substr(begin == 0 ? 0 : begin + 1);
}

std::string look_ahead(Runtime& runtime, const std::shared_ptr<Session>& session,
                       const PermissionRequest& request) {
  if (request.effect != Effect::kWrite || !request.server.empty()) return {};
  Call call{.tool = request.tool, .arguments = request.arguments};
  if (!call.arguments.is_object()) return {};
  call.arguments["dryRun"] = true;
  return change_in(runtime.call(session, std::move(call)));
}

}  // namespace helve::cli
