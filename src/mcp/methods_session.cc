// The methods by which client and server get to know each other and keep in touch.
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

// The revision that both speak: the client's, or our newest when we do not know that one.
std::string agreed_revision(const std::string& asked) {
  const bool spoken = rpc::is_known_revision(asked) && rpc::era_of(asked) == rpc::Era::kOld;
  return spoken ? asked : std::string(rpc::kNewestOldRevision);
}

}  // namespace

Outcome Server::initialize(Call& call) {
  const Json* asked = call.param("protocolVersion");
  if (asked == nullptr || !asked->is_string())
    return failure(rpc::kInvalidParams, "protocolVersion is missing or no string.");
  ClientInfo info{.revision = agreed_revision(asked->as_string()),
                  .name = text_of(call.param("clientInfo"), "name"),
                  .version = text_of(call.param("clientInfo"), "version")};
  if (const Json* capabilities = call.param("capabilities");
      capabilities != nullptr && capabilities->is_object())
    info.capabilities = *capabilities;
  call.client().set_info(info);
  Json result = JsonObject{{"protocolVersion", info.revision},
                           {"capabilities", capabilities(info)},
                           {"serverInfo", implementation()}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Outcome Server::discover(Call& call) {
  Json result = JsonObject{{"supportedVersions", JsonArray{rpc::kModernRevision}},
                           {"capabilities", capabilities(call.info())}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return result;
}

Outcome Server::ping(Call& /*call*/) { return Json(JsonObject()); }

Outcome Server::set_level(Call& call) {
  const Json* name = call.param("level");
  const auto level = name != nullptr && name->is_string() ? log_severity(name->as_string()) : std::nullopt;
  if (!level)
    return failure(rpc::kInvalidParams,
                   "level has to be debug, info, notice, warning, error, critical, alert or emergency.");
  call.client().set_log_level(*level);
  return Json(JsonObject());
}

Outcome Server::page_of(Call& call, std::string_view name, JsonArray all) const {
  std::size_t from = 0;
  if (const Json* cursor = call.param("cursor"); cursor != nullptr && !cursor->is_null()) {
    const auto text = cursor->is_string() ? from_base64(cursor->as_string()) : std::nullopt;
    const auto number = text ? to_number<std::size_t>(*text) : std::nullopt;
    if (!number || *number > all.size())
      return failure(rpc::kInvalidParams, "cursor is none that this server gave.");
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

Outcome Server::complete(Call& call) {
  const Json* reference = call.param("ref");
  const Json* argument = call.param("argument");
  const std::string kind = text_of(reference, "type");
  const std::string name = text_of(argument, "name");
  const std::string value = text_of(argument, "value");
  if (name.empty()) return failure(rpc::kInvalidParams, "argument.name is missing.");
  std::vector<std::string> values;
  if (kind == "ref/prompt" && offers_.prompts != nullptr)
    values = offers_.prompts->complete(text_of(reference, "name"), name, value);
  else if (kind == "ref/resource" && offers_.resources != nullptr)
    values = offers_.resources->complete(call, text_of(reference, "uri"), name, value);
  else
    return failure(rpc::kInvalidParams, "ref.type has to be ref/prompt or ref/resource.");
  constexpr std::size_t kMost = 100;
  const std::size_t total = values.size();
  values.resize(std::min(total, kMost));
  JsonArray shown(values.begin(), values.end());
  return Json(
      JsonObject{{"completion",
                  JsonObject{{"values", std::move(shown)}, {"total", total}, {"hasMore", total > kMost}}}});
}

Outcome Server::listen(Call& call) {
  const Json* wanted = call.param("notifications");
  if (wanted == nullptr || !wanted->is_object())
    return failure(rpc::kInvalidParams, "notifications is missing; it says what to listen to.");
  const auto wants = [&](std::string_view what) {
    const Json* flag = wanted->find(what);
    return flag != nullptr && *flag == Json(true);
  };
  const std::weak_ptr<Call> weak = call.weak_from_this();
  const Json id = call.request().id;
  const auto hear = [weak, id](const std::string& method, Json params) {
    params["_meta"][rpc::kMetaSubscriptionId] = id;
    if (const auto strong = weak.lock()) strong->notify(method, std::move(params));
  };

  Json honoured = JsonObject();
  Audience::Listener listener{.tools = wants("toolsListChanged") && offers_.tools != nullptr,
                              .prompts = wants("promptsListChanged") && prompts_change_,
                              .hear = hear};
  if (listener.tools) honoured["toolsListChanged"] = true;
  if (listener.prompts) honoured["promptsListChanged"] = true;
  std::vector<Subscription> subscriptions;
  if (const Json* uris = wanted->find("resourceSubscriptions");
      uris != nullptr && uris->is_array() && offers_.resources != nullptr)
    for (const Json& uri : uris->as_array()) {
      if (!uri.is_string() || subscriptions.size() >= kMostSubscriptions) continue;
      auto watched = offers_.resources->watch(call, uri.as_string(), [hear, uri] {
        hear("notifications/resources/updated", JsonObject{{"uri", uri}});
      });
      if (!watched) continue;
      subscriptions.push_back(*std::move(watched));
      honoured["resourceSubscriptions"].push_back(uri);
    }
  hear("notifications/subscriptions/acknowledged", JsonObject{{"notifications", std::move(honoured)}});
  subscriptions.push_back(audience_.add(std::move(listener)));

  std::binary_semaphore stopped(0);
  std::once_flag once;
  const auto release = [&] { std::call_once(once, [&] { stopped.release(); }); };
  const std::stop_callback cancelled(call.stop(), release);
  const std::stop_callback closed(call.client().closed(), release);
  stopped.acquire();
  return Json(JsonObject{{"_meta", JsonObject{{std::string(rpc::kMetaSubscriptionId), id}}}});
}

}  // namespace helve::mcp
