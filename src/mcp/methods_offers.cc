// The server's methods for tools, resources, prompts and tasks.
#include "base/base64.h"
#include "base/strings.h"
#include "mcp/server.h"

namespace helve::mcp {
namespace {

std::expected<std::string, rpc::Failure> text_param(const ActiveRequest& request, std::string_view name) {
  const Json* value = request.param(name);
  if (value == nullptr || !value->is_string())
    return failure(rpc::kInvalidParams, concat("`", name, "` must be a string."));
  return value->as_string();
}

rpc::Failure missing_capability(std::string message, Json required) {
  return {rpc::kMissingClientCapability, std::move(message),
          JsonObject{{"requiredCapabilities", std::move(required)}}};
}

rpc::Failure needs_tasks() {
  return missing_capability(
      "The client must support tasks.",
      JsonObject{{"extensions", JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}}}});
}

rpc::Failure no_such_resource(const ActiveRequest& request, const std::string& uri) {
  return {request.info().is_stateless() ? rpc::kInvalidParams : rpc::kResourceNotFound,
          concat("There is no resource ", uri, "."), JsonObject{{"uri", uri}}};
}

bool supports_tasks(const ActiveRequest& request) {
  return !request.info().is_stateless() || request.info().offers({"extensions", rpc::kTasksExtension});
}

}  // namespace

Outcome Server::list_tools(ActiveRequest& request) {
  if (offers_.tools == nullptr) return page_of(request, "tools", {});
  return page_of(request, "tools", offers_.tools->list(request));
}

Outcome Server::call_tool(ActiveRequest& request) {
  auto name = text_param(request, "name");
  if (!name) return std::unexpected(name.error());
  const Json* given = request.param("arguments");
  if (given != nullptr && !given->is_null() && !given->is_object())
    return failure(rpc::kInvalidParams, "`arguments` must be an object.");
  if (const Json* answers = request.param("inputResponses"); answers != nullptr && !answers->is_object())
    return failure(rpc::kInvalidParams, "`inputResponses` must be an object.");
  if (offers_.tools == nullptr) return failure(rpc::kInvalidParams, "There are no tools.");
  std::expected<OfferedTool, rpc::Failure> tool =
      request.checked_tool() ? *request.checked_tool() : offers_.tools->wait_for(request, *name);
  if (!tool) return std::unexpected(std::move(tool.error()));
  const TaskSupport support = tool->task_support;
  if (request.info().is_stateless()) {
    if (support == TaskSupport::kRequired && !request.may_become_task())
      return std::unexpected(needs_tasks());
    if (support == TaskSupport::kOptional && request.may_become_task())
      slow_calls_.add(request.shared_from_this());
  } else {
    if (request.may_become_task() && support == TaskSupport::kForbidden)
      return failure(rpc::kMethodNotFound, concat(*name, " cannot run as a task."));
    if (!request.may_become_task() && support == TaskSupport::kRequired)
      return failure(rpc::kMethodNotFound, concat(*name, " can only run as a task."));
    if (request.may_become_task()) request.become_task();
  }
  return tool->call(request, given != nullptr && given->is_object() ? *given : Json(JsonObject()));
}

Outcome Server::list_resources(ActiveRequest& request) {
  std::string after;
  if (const Json* cursor = request.param("cursor"); cursor != nullptr && !cursor->is_null()) {
    auto text = cursor->is_string() ? from_base64(cursor->as_string()) : std::nullopt;
    if (!text)
      return failure(rpc::kInvalidParams, "Unknown cursor. Pass the `nextCursor` of an earlier answer.");
    after = *std::move(text);
  }
  if (offers_.resources == nullptr) return Json(JsonObject{{"resources", JsonArray()}});
  auto page = offers_.resources->list(request, after);
  if (!page) return std::unexpected(page.error());
  if (offers_.skills != nullptr && after.empty())
    for (Json& skill : offers_.skills->resources()) page->resources.push_back(std::move(skill));
  Json result = JsonObject{{"resources", std::move(page->resources)}};
  if (!page->next.empty()) result["nextCursor"] = to_base64(page->next);
  return result;
}

Outcome Server::list_templates(ActiveRequest& request) {
  return page_of(request, "resourceTemplates",
                 offers_.resources != nullptr ? offers_.resources->templates() : JsonArray());
}

Outcome Server::read_resource(ActiveRequest& request) {
  auto uri = text_param(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (offers_.resources == nullptr) return std::unexpected(no_such_resource(request, *uri));
  if (offers_.skills != nullptr && uri->starts_with(kSkillScheme)) {
    auto file = offers_.skills->read(*uri);
    if (!file) return std::unexpected(no_such_resource(request, *uri));
    return Json(JsonObject{{"contents", *std::move(file)}});
  }
  auto contents = offers_.resources->read(request, *uri);
  if (!contents) return std::unexpected(contents.error());
  if (!*contents) return std::unexpected(no_such_resource(request, *uri));
  return Json(JsonObject{{"contents", std::move(**contents)}});
}

Outcome Server::list_skills(ActiveRequest& request) {
  if (offers_.skills == nullptr) return failure(rpc::kMethodNotFound, "Skills are not offered.");
  return page_of(request, "skills", offers_.skills->list());
}

Outcome Server::get_skill(ActiveRequest& request) {
  auto uri = text_param(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  auto entry = offers_.skills == nullptr ? std::nullopt : offers_.skills->get(*uri);
  if (!entry) return failure(rpc::kInvalidParams, concat("There is no skill ", *uri, "."));
  return Json(JsonObject{{"skill", *std::move(entry)}});
}

Outcome Server::read_directory(ActiveRequest& request) {
  auto uri = text_param(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  auto children = offers_.skills == nullptr ? std::nullopt : offers_.skills->directory(*uri);
  if (!children) return failure(rpc::kInvalidParams, concat(*uri, " is not a directory of a skill."));
  return page_of(request, "resources", *std::move(children));
}

Outcome Server::subscribe(ActiveRequest& request) {
  auto uri = text_param(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (offers_.resources == nullptr) return std::unexpected(no_such_resource(request, *uri));
  if (request.client().subscription_count() > kMostSubscriptions)
    return failure(rpc::kInvalidParams, "Too many subscriptions; unsubscribe from some first.");
  const std::weak_ptr<Client> weak = request.shared_client();
  auto subscription = offers_.resources->watch(request, *uri, [weak, uri = *uri] {
    if (const auto client = weak.lock())
      client->send(to_json(rpc::Notification{"notifications/resources/updated", JsonObject{{"uri", uri}}}));
  });
  if (!subscription) return std::unexpected(subscription.error());
  request.client().add_subscription(*uri, *std::move(subscription));
  return Json(JsonObject());
}

Outcome Server::unsubscribe(ActiveRequest& request) {
  auto uri = text_param(request, "uri");
  if (!uri) return std::unexpected(uri.error());
  if (!uri->empty()) request.client().remove_subscription(*uri);
  return Json(JsonObject());
}

Outcome Server::list_prompts(ActiveRequest& request) {
  return page_of(request, "prompts", offers_.prompts != nullptr ? offers_.prompts->list() : JsonArray());
}

Outcome Server::get_prompt(ActiveRequest& request) {
  auto name = text_param(request, "name");
  if (!name) return std::unexpected(name.error());
  const Json* arguments = request.param("arguments");
  std::optional<Json> prompt;
  if (offers_.prompts != nullptr) {
    auto got = offers_.prompts->get(request, *name, arguments != nullptr ? *arguments : Json(JsonObject()));
    if (!got) return std::unexpected(got.error());
    prompt = *std::move(got);
  }
  if (!prompt) return failure(rpc::kInvalidParams, concat("There is no prompt ", *name, "."));
  return *std::move(prompt);
}

Outcome Server::get_task(ActiveRequest& request) {
  if (!supports_tasks(request)) return std::unexpected(needs_tasks());
  return tasks_.get(request);
}

Outcome Server::update_task(ActiveRequest& request) {
  if (!supports_tasks(request)) return std::unexpected(needs_tasks());
  return tasks_.update(request);
}

Outcome Server::cancel_task(ActiveRequest& request) {
  if (!supports_tasks(request)) return std::unexpected(needs_tasks());
  return tasks_.cancel(request);
}

Outcome Server::task_result(ActiveRequest& request) { return tasks_.result(request); }
Outcome Server::list_tasks(ActiveRequest& request) { return tasks_.list(request); }

}  // namespace helve::mcp
