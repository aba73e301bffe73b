#include "gateway/server_requests.h"

#include <filesystem>

#include "base/file_uri.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/protocol.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kLongestQuestion = 10'000;
constexpr std::size_t kLongestUrl = 8'000;

using Answer = std::expected<Json, rpc::Failure>;

std::unexpected<rpc::Failure> refuse(int code, std::string message) {
  return std::unexpected(rpc::Failure{.code = code, .message = std::move(message)});
}

Json action(std::string_view name) { return JsonObject{{"action", name}}; }

Answer list_roots(const ServerIdentity& server) {
  const std::string name = std::filesystem::path(server.workspace).filename().string();
  return JsonObject{{"roots", JsonArray{JsonObject{{"uri", file_uri(server.workspace)}, {"name", name}}}}};
}

Answer elicit(const Json& params, const ServerIdentity& server, const Caller* caller,
              const std::stop_token& stop) {
  // Without a user the request counts as dismissed.
  if (caller == nullptr || caller->asker == nullptr) return action("cancel");
  Question question{.call_id = caller->call_id,
                    .server = server.name,
                    .text = text_member(params, "message", kLongestQuestion)};
  const std::string mode = text_member(params, "mode", 100);
  if (mode == "url") {
    question.url = text_member(params, "url", kLongestUrl);
    // Other schemes could start programs on the user's machine.
    if (!question.url.starts_with("https://") && !question.url.starts_with("http://"))
      return refuse(rpc::kInvalidParams, "Only http and https URLs can be opened.");
  } else if (mode.empty() || mode == "form") {
    const Json* schema = params.find("requestedSchema");
    if (schema == nullptr || !schema->is_object())
      return refuse(rpc::kInvalidParams, "A form needs a requestedSchema.");
    question.form = *schema;
  } else {
    return refuse(rpc::kInvalidParams, concat("There is no elicitation mode ", mode, "."));
  }
  auto reply = caller->asker->ask(question, stop);
  if (!reply || reply->kind == Reply::Kind::kDismissed) return action("cancel");
  if (reply->kind == Reply::Kind::kDeclined) return action("decline");
  Json answer = action("accept");
  if (question.url.empty()) {
    Json content = reply->form.is_object() ? std::move(reply->form) : Json(JsonObject());
    fill_in_defaults(question.form, content);
    answer["content"] = std::move(content);
  }
  return answer;
}

Answer sample(const Json& params, const Caller* caller, const std::stop_token& stop) {
  if (caller == nullptr || caller->sampler == nullptr)
    return refuse(rpc::kMethodNotFound, "There is no model to sample from.");
  auto written = caller->sampler->sample(caller->call_id, params, stop);
  if (!written) return refuse(rpc::kInternalError, written.error().message);
  return *std::move(written);
}

}  // namespace

std::expected<Json, rpc::Failure> answer_request(const std::string& method, const Json& params,
                                                 const ServerIdentity& server, const Caller* caller,
                                                 const std::stop_token& stop) {
  if (method == "ping") return JsonObject();
  if (method == "roots/list") return list_roots(server);
  if (method == "elicitation/create") return elicit(params, server, caller, stop);
  if (method == "sampling/createMessage") return sample(params, caller, stop);
  return refuse(rpc::kMethodNotFound, concat("Method not found: ", shortened(method, 100)));
}

void fill_in_defaults(const Json& schema, Json& content) {
  const Json* properties = schema.find("properties");
  if (properties == nullptr || !properties->is_object() || !content.is_object()) return;
  for (const auto& [name, property] : properties->as_object())
    if (const Json* value = property.find("default"); value != nullptr && content.find(name) == nullptr)
      content[name] = *value;
}

}  // namespace helve::gateway
