#include "inbox/request_json.h"

#include <algorithm>
#include <utility>

#include "base/json_read.h"
#include "base/sha256.h"

namespace helve::inbox {
namespace {

JsonArray to_array(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::vector<std::string> texts_in(const Json& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonArray* array = array_in(object, key))
    for (const Json& text : *array)
      if (text.is_string()) texts.push_back(text.as_string());
  return texts;
}

Effect effect_named(std::string_view name) {
  const auto names = enum_names(Effect{});
  const auto found = std::ranges::find(names, name);
  // An effect of a newer version is shown as the one that a user looks at most closely.
  return found != names.end() ? static_cast<Effect>(found - names.begin()) : Effect::kExecute;
}

}  // namespace

Json to_json(const PermissionRequest& request) {
  return JsonObject{{"callId", request.call_id},
                    {"toolName", request.tool},
                    {"serverName", request.server},
                    {"effect", name_of(request.effect)},
                    {"arguments", request.arguments},
                    {"files", to_array(request.files)},
                    {"explanation", request.explanation},
                    {"reason", request.reason},
                    {"subject", request.subject},
                    {"diff", request.diff},
                    {"notes", to_array(request.notes)},
                    {"diffIsWhole", request.diff_is_whole},
                    {"alwaysRules", to_array(request.rules)},
                    {"sessionCovers", request.session_covers},
                    {"workspace", request.workspace},
                    {"index", request.batch_index},
                    {"count", request.batch_count}};
}

PermissionRequest request_from(const Json& json) {
  const Json* arguments = json.find("arguments");
  return {.call_id = text_in(json, "callId"),
          .tool = text_in(json, "toolName"),
          .server = text_in(json, "serverName"),
          .effect = effect_named(string_in(json, "effect")),
          .arguments = arguments != nullptr ? *arguments : Json(),
          .files = texts_in(json, "files"),
          .explanation = text_in(json, "explanation"),
          .reason = text_in(json, "reason"),
          .subject = text_in(json, "subject"),
          .diff = text_in(json, "diff"),
          .notes = texts_in(json, "notes"),
          .diff_is_whole = flag_in(json, "diffIsWhole"),
          .rules = texts_in(json, "alwaysRules"),
          .session_covers = text_in(json, "sessionCovers"),
          .workspace = text_in(json, "workspace"),
          .batch_index = static_cast<std::size_t>(count_in(json, "index")),
          .batch_count = static_cast<std::size_t>(count_in(json, "count"))};
}

std::string hash_of(const PermissionRequest& request) { return sha256_hex(to_text(to_json(request))); }

Approval approval_of(ApprovalChoice choice, std::string reason, std::string by) {
  Approval approval{.granted = choice != ApprovalChoice::kRefuse, .by = std::move(by)};
  if (!approval.granted) approval.reason = std::move(reason);
  if (choice == ApprovalChoice::kSession) approval.scope = ApprovalScope::kSession;
  if (choice == ApprovalChoice::kAlways) approval.scope = ApprovalScope::kAlways;
  return approval;
}

ApprovalChoice choice_of(const Approval& approval) {
  if (!approval.granted) return ApprovalChoice::kRefuse;
  if (approval.scope == ApprovalScope::kSession) return ApprovalChoice::kSession;
  return approval.scope == ApprovalScope::kAlways ? ApprovalChoice::kAlways : ApprovalChoice::kOnce;
}

}  // namespace helve::inbox
