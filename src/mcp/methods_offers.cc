// The methods that bring tools, resources and prompts to the client.
#include "base/base64.h"
#include "base/strings.h"
#include "mcp/server.h"

namespace helve::mcp {
namespace {

std::expected<std::string, rpc::Failure> text_param(const Call& call, std::string_view name) {
  const Json* value = call.param(name);
  if (value == nullptr || !value->is_string())
    return failure(rpc::kInvalidParams, concat(name, " is missing or no string."));
  return value->as_string();
}

rpc::Failure missing_capability(std::string message, Json required) {
  return {rpc::kMissingClientCapability, std::move(message),
          JsonObject{{"requiredCapabilities", std::move(required)}}};
}

rpc::Failure needs_tasks() {
  return missing_capability(
      "This needs a client that knows tasks.",
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}});
}

rpc::Failure no_such_resource(const Call& call, const std::string& uri) {
  return {call.info().is_modern() ? rpc::kInvalidParams : rpc::kOldResourceNotFound,
          concat("There is no resource ", uri, "."), JsonObject{{"uri", uri}}};
}

bool knows_tasks(const Call& call) {
  return !call.info().is_modern() || call.info().offers({"extensions", rpc::kTasksExtension});
}

}  // namespace

Outcome Server::list_tools(Call& call) {
  if (offers_.tools == nullptr) return page_of(call, "tools", {});
  return page_of(call, "tools", offers_.tools->list(call));
}

Outcome Server::call_tool(Call& call) {
  auto name = text_param(call, "name");
  if (!name) return std::unexpected(name.error());
  const Json* given = call.param("arguments");
  if (given != nullptr && !given->is_null() && !given->is_object())
    return failure(rpc::kInvalidParams, "arguments has to be an object.");
  if (const Json* answers = call.param("inputResponses"); answers != nullptr && !answers->is_object())
    return failure(rpc::kInvalidParams, "inputResponses has to be an object.");
  if (offers_.tools == nullptr) return failure(rpc::kInvalidParams, "There are no tools.");
  const TaskSupport support = offers_.tools->task_support(*name).value_or(TaskSupport::kForbidden);
  if (call.info().is_modern()) {
    if (support == TaskSupport::kRequired && !call.may_become_task()) return std::unexpected(needs_tasks());
    if (support == TaskSupport::kOptional && call.may_become_task()) long_calls_.add(call.shared_from_this());
  } else {
    if (call.may_become_task() && support == TaskSupport::kForbidden)
      return failure(rpc::kMethodNotFound, concat(*name, " cannot run as a task."));
    if (!call.may_become_task() && support == TaskSupport::kRequired)
      return failure(rpc::kMethodNotFound, concat(*name, " runs as a task only."));
    if (call.may_become_task()) call.become_task();
  }
  return offers_.tools->call(call, *name,
                             given != nullptr && given->is_object() ? *given : Json(JsonObject()));
}

Outcome Server::list_resources(Call& call) {
  std::string after;
  if (const Json* cursor = call.param("cursor"); cursor != nullptr && !cursor->is_null()) {
    auto text = cursor->is_string() ? from_base64(cursor->as_string()) : std::nullopt;
    if (!text) return failure(rpc::kInvalidParams, "cursor is none that this server gave.");
    after = *std::move(text);
  }
  if (offers_.resources == nullptr) return Json(JsonObject{{"resources", JsonArray()}});
  auto page = offers_.resources->list(call, after);
  if (!page) return std::unexpected(page.error());
  Json result = JsonObject{{"resources", std::move(page->resources)}};
  if (!page->next.empty()) result["nextCursor"] = to_base64(page->next);
  return result;
}

Outcome Server::list_templates(Call& call) {
  return page_of(call, "resourceTemplates",
                 offers_.resources != nullptr ? offers_.resources->templates() : JsonArray());
}

Outcome Server::read_resource(Call& call) {
  auto uri = text_param(call, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (offers_.resources == nullptr) return std::unexpected(no_such_resource(call, *uri));
  auto contents = offers_.resources->read(call, *uri);
  if (!contents) return std::unexpected(contents.error());
  if (!*contents) return std::unexpected(no_such_resource(call, *uri));
  return Json(JsonObject{{"contents", std::move(**contents)}});
}

Outcome Server::subscribe(Call& call) {
  auto uri = text_param(call, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (offers_.resources == nullptr) return std::unexpected(no_such_resource(call, *uri));
  if (call.client().kept() > kMostSubscriptions)
    return failure(rpc::kInvalidParams, "Too many subscriptions; unsubscribe from some first.");
  const std::weak_ptr<Client> weak = call.shared_client();
  auto subscription = offers_.resources->watch(call, *uri, [weak, uri = *uri] {
    if (const auto client = weak.lock())
      client->send(to_json(rpc::Notification{"notifications/resources/updated", JsonObject{{"uri", uri}}}));
  });
  if (!subscription) return std::unexpected(subscription.error());
  call.client().keep(*uri, *std::move(subscription));
  return Json(JsonObject());
}

Outcome Server::unsubscribe(Call& call) {
  auto uri = text_param(call, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (!uri->empty()) call.client().drop(*uri);
  return Json(JsonObject());
}

Outcome Server::list_prompts(Call& call) {
  return page_of(call, "prompts", offers_.prompts != nullptr ? offers_.prompts->list() : JsonArray());
}

Outcome Server::get_prompt(Call& call) {
  auto name = text_param(call, "name");
  if (!name) return std::unexpected(name.error());
  const Json* arguments = call.param("arguments");
  std::optional<Json> prompt;
  if (offers_.prompts != nullptr) {
    auto got = offers_.prompts->get(call, *name, arguments != nullptr ? *arguments : Json(JsonObject()));
    if (!got) return std::unexpected(got.error());
    prompt = *std::move(got);
  }
  if (!prompt) return failure(rpc::kInvalidParams, concat("There is no prompt ", *name, "."));
  return *std::move(prompt);
}

Outcome Server::get_task(Call& call) {
  if (!knows_tasks(call)) return std::unexpected(needs_tasks());
  return tasks_.get(call);
}

Outcome Server::update_task(Call& call) {
  if (!knows_tasks(call)) return std::unexpected(needs_tasks());
  return tasks_.update(call);
}

Outcome Server::cancel_task(Call& call) {
  if (!knows_tasks(call)) return std::unexpected(needs_tasks());
  return tasks_.cancel(call);
}

Outcome Server::task_result(Call& call) { return tasks_.result(call); }
Outcome Server::list_tasks(Call& call) { return tasks_.list(call); }

}  // namespace helve::mcp
