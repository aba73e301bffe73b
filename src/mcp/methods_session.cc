// The server's methods for the connection itself: initialize, discover, ping, logging, completion, listening.
#include <algorithm>
#include <mutex>
#include <semaphore>

#include "base/base64.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "mcp/server.h"

namespace helve::mcp {
namespace {

std::string text_of(const Json* object, std::string_view member) {
  return object != nullptr ? text_in(*object, member) : std::string();
}

// The client's protocol version, or our newest session-based one if that is not supported.
std::string agreed_revision(const std::string& asked) {
  const bool supported =
      rpc::is_known_revision(asked) && rpc::protocol_of(asked) == rpc::Protocol::kSessionBased;
  return supported ? asked : std::string(rpc::kNewestSessionRevision);
}

}  // namespace

Outcome Server::initialize(ActiveRequest& request) {
  const Json* asked = request.param("protocolVersion");
  if (asked == nullptr || !asked->is_string())
    return failure(rpc::kInvalidParams, "`protocolVersion` must be a string.");
  ClientInfo info{.revision = agreed_revision(asked->as_string()),
                  .name = text_of(request.param("clientInfo"), "name"),
                  .version = text_of(request.param("clientInfo"), "version")};
  if (const Json* capabilities = request.param("capabilities");
      capabilities != nullptr && capabilities->is_object())
    info.capabilities = *capabilities;
  request.client().set_info(info);
  Json result = JsonObject{{"protocolVersion", info.revision},
                           {"capabilities", capabilities(info)},
                           {"serverInfo", implementation()}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Outcome Server::discover(ActiveRequest& request) {
  Json result = JsonObject{{"supportedVersions", JsonArray{rpc::kStatelessRevision}},
                           {"capabilities", capabilities(request.info())}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Outcome Server::ping(ActiveRequest& /*request*/) { return Json(JsonObject()); }

Outcome Server::set_level(ActiveRequest& request) {
  const Json* name = request.param("level");
  const auto level = name != nullptr && name->is_string() ? log_severity(name->as_string()) : std::nullopt;
  if (!level)
    return failure(rpc::kInvalidParams,
                   "`level` must be debug, info, notice, warning, error, critical, alert or emergency.");
  request.client().set_log_level(*level);
  return Json(JsonObject());
}

Outcome Server::page_of(ActiveRequest& request, std::string_view name, JsonArray all) const {
  std::size_t from = 0;
  if (const Json* cursor = request.param("cursor"); cursor != nullptr && !cursor->is_null()) {
    const auto text = cursor->is_string() ? from_base64(cursor->as_string()) : std::nullopt;
    const auto number = text ? to_number<std::size_t>(*text) : std::nullopt;
    if (!number || *number > all.size())
      return failure(rpc::kInvalidParams, "Unknown cursor. Pass the `nextCursor` of an earlier answer.");
    from = *number;
  }
  const std::size_t to = std::min(all.size(), from + options_.page);
  Json result = JsonObject();
  Json next;
  if (to < all.size()) next = to_base64(std::to_string(to));
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(to), all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
  result[name] = std::move(all);
  if (!next.is_null()) result["nextCursor"] = std::move(next);
  return result;
}

Outcome Server::complete(ActiveRequest& request) {
  const Json* reference = request.param("ref");
  const Json* argument = request.param("argument");
  const std::string kind = text_of(reference, "type");
  const std::string name = text_of(argument, "name");
  const std::string value = text_of(argument, "value");
  if (name.empty()) return failure(rpc::kInvalidParams, "`argument.name` is missing.");
  std::vector<std::string> values;
  if (kind == "ref/prompt" && offers_.prompts != nullptr)
    values = offers_.prompts->complete(text_of(reference, "name"), name, value);
  else if (kind == "ref/resource" && offers_.resources != nullptr)
    values = offers_.resources->complete(request, text_of(reference, "uri"), name, value);
  else
    return failure(rpc::kInvalidParams, "`ref.type` must be ref/prompt or ref/resource.");
  constexpr std::size_t kMost = 100;
  const std::size_t total = values.size();
  values.resize(std::min(total, kMost));
  JsonArray shown(values.begin(), values.end());
  return Json(
      JsonObject{{"completion",
                  JsonObject{{"values", std::move(shown)}, {"total", total}, {"hasMore", total > kMost}}}});
}

Outcome Server::listen(ActiveRequest& request) {
  const Json* wanted = request.param("notifications");
  if (wanted == nullptr || !wanted->is_object())
    return failure(rpc::kInvalidParams, "`notifications` must be an object that names what to listen to.");
  const auto wants = [&](std::string_view what) {
    const Json* flag = wanted->find(what);
    return flag != nullptr && *flag == Json(true);
  };
  const std::weak_ptr<ActiveRequest> weak = request.weak_from_this();
  const Json id = request.request().id;
  const auto send = [weak, id](const std::string& method, Json params) {
    params["_meta"][rpc::kMetaSubscriptionId] = id;
    if (const auto strong = weak.lock()) strong->notify(method, std::move(params));
  };

  Json accepted = JsonObject();
  ChangeListeners::Listener listener{.tools = wants("toolsListChanged") && offers_.tools != nullptr,
                                     .prompts = wants("promptsListChanged") && prompts_change_,
                                     .send = send};
  if (listener.tools) accepted["toolsListChanged"] = true;
  if (listener.prompts) accepted["promptsListChanged"] = true;
  std::vector<Subscription> subscriptions;
  if (const Json* uris = wanted->find("resourceSubscriptions");
      uris != nullptr && uris->is_array() && offers_.resources != nullptr)
    for (const Json& uri : uris->as_array()) {
      if (!uri.is_string() || subscriptions.size() >= kMostSubscriptions) continue;
      auto watched = offers_.resources->watch(request, uri.as_string(), [send, uri] {
        send("notifications/resources/updated", JsonObject{{"uri", uri}});
      });
      if (!watched) continue;
      subscriptions.push_back(*std::move(watched));
      accepted["resourceSubscriptions"].push_back(uri);
    }
  send("notifications/subscriptions/acknowledged", JsonObject{{"notifications", std::move(accepted)}});
  subscriptions.push_back(listeners_.add(std::move(listener)));

  std::binary_semaphore stopped(0);
  std::once_flag once;
  const auto release = [&] { std::call_once(once, [&] { stopped.release(); }); };
  const std::stop_callback cancelled(request.stop(), release);
  const std::stop_callback closed(request.client().closed(), release);
  stopped.acquire();
  return Json(JsonObject{{"_meta", JsonObject{{std::string(rpc::kMetaSubscriptionId), id}}}});
}

}  // namespace helve::mcp
