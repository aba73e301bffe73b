#include "mcp/server.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve::mcp {

using rpc::Protocol;

struct Server::Method {
  enum class In { kSessionBased, kStateless, kBoth };
  enum class Result { kPlain, kCacheable };
  std::string_view name;
  In in;
  Outcome (Server::*run)(ActiveRequest&);
  Result result = Result::kPlain;
};

Server::Server(ServerOptions options, Offers offers)
    : options_(std::move(options)),
      offers_(offers),
      suspended_(options_.input_timeout),
      slow_calls_(options_.long_call) {
  const auto notify = [this](ChangeListeners::Change change) {
    return [this, change] { listeners_.notify(change); };
  };
  if (offers_.tools != nullptr)
    changes_.push_back(offers_.tools->on_change(notify(ChangeListeners::Change::kTools)));
  if (offers_.prompts != nullptr)
    changes_.push_back(offers_.prompts->on_change(notify(ChangeListeners::Change::kPrompts)));
  prompts_change_ = offers_.prompts != nullptr && changes_.back() != nullptr;
}

Server::~Server() { changes_.clear(); }

const Server::Method* Server::find(std::string_view method, Protocol protocol) {
  using In = Method::In;
  constexpr auto kCacheable = Method::Result::kCacheable;
  static constexpr auto kMethods = std::to_array<Method>({
      {"tools/call", In::kBoth, &Server::call_tool},
      {"tools/list", In::kBoth, &Server::list_tools, kCacheable},
      {"initialize", In::kSessionBased, &Server::initialize},
      {"server/discover", In::kStateless, &Server::discover, kCacheable},
      {"ping", In::kSessionBased, &Server::ping},
      {"logging/setLevel", In::kSessionBased, &Server::set_level},
      {"resources/list", In::kBoth, &Server::list_resources, kCacheable},
      {"resources/templates/list", In::kBoth, &Server::list_templates, kCacheable},
      {"resources/read", In::kBoth, &Server::read_resource, kCacheable},
      {"resources/subscribe", In::kSessionBased, &Server::subscribe},
      {"resources/unsubscribe", In::kSessionBased, &Server::unsubscribe},
      {"prompts/list", In::kBoth, &Server::list_prompts, kCacheable},
      {"prompts/get", In::kBoth, &Server::get_prompt},
      {"completion/complete", In::kBoth, &Server::complete},
      {"skills/list", In::kBoth, &Server::list_skills, kCacheable},
      {"skills/get", In::kBoth, &Server::get_skill, kCacheable},
      {"resources/directory/read", In::kBoth, &Server::read_directory, kCacheable},
      {"subscriptions/listen", In::kStateless, &Server::listen},
      {"tasks/get", In::kBoth, &Server::get_task},
      {"tasks/update", In::kStateless, &Server::update_task},
      {"tasks/cancel", In::kBoth, &Server::cancel_task},
      {"tasks/result", In::kSessionBased, &Server::task_result},
      {"tasks/list", In::kSessionBased, &Server::list_tasks},
  });
  const auto wanted = protocol == Protocol::kStateless ? In::kStateless : In::kSessionBased;
  const auto* found = std::ranges::find_if(kMethods, [&](const Method& known) {
    return known.name == method && (known.in == In::kBoth || known.in == wanted);
  });
  return found != kMethods.end() ? found : nullptr;
}

bool Server::has_method(std::string_view method, Protocol protocol) {
  return find(method, protocol) != nullptr;
}

bool Server::is_stateless(const rpc::Request& request) {
  if (request.method == "server/discover") return true;
  const Json* meta = request.params.find("_meta");
  return meta != nullptr && meta->find(rpc::kMetaRevision) != nullptr;
}

namespace {

std::expected<ClientInfo, rpc::Failure> info_of(const Json& params) {
  const Json* meta = params.find("_meta");
  if (meta == nullptr || !meta->is_object())
    return failure(rpc::kInvalidParams,
                   concat("params._meta is missing. Every request must carry ", rpc::kMetaRevision, " and ",
                          rpc::kMetaClientCapabilities, "."));
  const Json* revision = meta->find(rpc::kMetaRevision);
  if (revision == nullptr || !revision->is_string())
    return failure(rpc::kInvalidParams, concat("params._meta lacks ", rpc::kMetaRevision, "."));
  const Json* capabilities = meta->find(rpc::kMetaClientCapabilities);
  if (capabilities == nullptr || !capabilities->is_object())
    return failure(rpc::kInvalidParams, concat("params._meta lacks ", rpc::kMetaClientCapabilities, "."));
  if (revision->as_string() != rpc::kStatelessRevision)
    return failure(rpc::kUnsupportedRevision,
                   concat("Protocol version ", revision->as_string(), " is not supported."),
                   JsonObject{{"supported", JsonArray{rpc::kStatelessRevision}}, {"requested", *revision}});
  ClientInfo info{.revision = revision->as_string(), .capabilities = *capabilities};
  if (const Json* client = meta->find(rpc::kMetaClientInfo); client != nullptr) {
    if (const Json* name = client->find("name"); name != nullptr && name->is_string())
      info.name = name->as_string();
    if (const Json* version = client->find("version"); version != nullptr && version->is_string())
      info.version = version->as_string();
  }
  return info;
}

constexpr std::string_view kIdInUse = "A request with this id is already running.";

// The methods that a client may repeat with answers.
bool may_be_repeated(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

}  // namespace

std::optional<rpc::Failure> Server::check(const rpc::Request& request, Protocol protocol) {
  if (find(request.method, protocol) == nullptr)
    return rpc::Failure{rpc::kMethodNotFound, concat("There is no method ", request.method, ".")};
  if (protocol == Protocol::kStateless)
    if (auto stated = info_of(request.params); !stated) return std::move(stated.error());
  return {};
}

void Server::serve(const std::shared_ptr<Client>& client, Protocol protocol, rpc::Request request,
                   const std::shared_ptr<Responder>& responder, std::optional<OfferedTool> checked_tool) {
  const auto refuse = [&](rpc::Failure failure) {
    client->remove_queued(request.id);
    responder->answer({.id = request.id, .failure = std::move(failure)});
  };
  const Method* method = find(request.method, protocol);
  if (method == nullptr)
    return refuse({rpc::kMethodNotFound, concat("There is no method ", request.method, ".")});
  std::shared_ptr<const ClientInfo> info;
  if (protocol == Protocol::kStateless) {
    auto stated = info_of(request.params);
    if (!stated) return refuse(std::move(stated.error()));
    info = std::make_shared<const ClientInfo>(*std::move(stated));
  } else {
    info = client->info();
  }
  if (const Json* state = request.params.find("requestState"); protocol == Protocol::kStateless &&
                                                               state != nullptr && state->is_string() &&
                                                               may_be_repeated(request.method)) {
    auto waiting = suspended_.claim(state->as_string(), request, *client);
    if (!waiting) return refuse(std::move(waiting.error()));
    switch ((*waiting)->resume(client, request, responder)) {
      case ActiveRequest::Resumed::kYes: return;
      case ActiveRequest::Resumed::kHasEnded: return refuse({rpc::kInvalidParams, "The request has ended."});
      case ActiveRequest::Resumed::kIdInUse: return refuse({rpc::kInvalidRequest, std::string(kIdInUse)});
    }
  }
  auto stop = client->begin(request.id);
  if (!stop) return refuse({rpc::kInvalidRequest, std::string(kIdInUse)});
  if (stop->stop_requested()) {
    client->end(request.id);
    return refuse({rpc::kInternalError, "The request was cancelled before it started."});
  }
  const auto active = std::make_shared<ActiveRequest>(
      ActiveRequest::Parts{suspended_, tasks_, client, std::move(info), std::move(request), responder,
                           *std::move(stop), std::move(checked_tool)});
  active->finish(run(*method, *active));
}

Outcome Server::run(const Method& method, ActiveRequest& request) {
  Outcome outcome;
  try {
    outcome = (this->*method.run)(request);
  } catch (const std::exception&) {  // a bug: answer the client and keep serving
    outcome = failure(rpc::kInternalError, "An internal error occurred.");
  }
  if (!outcome || !request.info().is_stateless()) return outcome;
  Json& result = *outcome;
  if (result.find("resultType") == nullptr) result["resultType"] = rpc::kComplete;
  if (method.result == Method::Result::kCacheable) {
    if (result.find("ttlMs") == nullptr) result["ttlMs"] = 0;
    if (result.find("cacheScope") == nullptr) result["cacheScope"] = "private";
  }
  result["_meta"][rpc::kMetaServerInfo] = implementation();
  return outcome;
}

void Server::handle(const std::shared_ptr<Client>& client, const rpc::Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    if (const Json* id = notification.params.find("requestId")) client->cancel(*id);
    return;
  }
  if (notification.method == "notifications/roots/list_changed") return client->roots_changed();
  if (notification.method == "notifications/initialized") {
    // The client owns the handle, so it gets notifications as long as it lives.
    std::weak_ptr<Client> weak = client;
    client->add_subscription(
        "", listeners_.add({.tools = true,
                            .prompts = true,
                            .wants_log =
                                [weak](LogSeverity severity) {
                                  const auto strong = weak.lock();
                                  return strong && severity >= strong->log_level();
                                },
                            .send =
                                [weak](const std::string& method, Json params) {
                                  if (const auto strong = weak.lock())
                                    strong->send(to_json(rpc::Notification{method, std::move(params)}));
                                }}));
  }
}

void Server::disconnect(const std::shared_ptr<Client>& client) {
  client->set_outlet({});
  client->cancel_all();
  tasks_.cancel_all(client.get());
  client->session_slot().clear();
}

void Server::stop() {
  suspended_.close();
  tasks_.cancel_all(nullptr);
}

Json Server::implementation() const {
  return JsonObject{{"name", options_.name}, {"title", options_.title}, {"version", options_.version}};
}

Json Server::capabilities(const ClientInfo& client) const {
  Json all = JsonObject();
  if (offers_.tools != nullptr) all["tools"] = JsonObject{{"listChanged", true}};
  if (offers_.resources != nullptr) all["resources"] = JsonObject{{"subscribe", true}};
  if (offers_.prompts != nullptr) all["prompts"] = JsonObject();
  if (prompts_change_) all["prompts"]["listChanged"] = true;
  if (client.revision >= "2025-03-26") all["completions"] = JsonObject();
  all["logging"] = JsonObject();
  if (client.is_stateless()) {
    all["extensions"] = JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}};
  } else if (client.revision >= "2025-11-25") {
    all["tasks"] = JsonObject{{"list", JsonObject()},
                              {"cancel", JsonObject()},
                              {"requests", JsonObject{{"tools", JsonObject{{"call", JsonObject()}}}}}};
  }
  if (offers_.skills != nullptr && client.revision >= "2025-11-25")
    all["extensions"][rpc::kSkillsExtension] = JsonObject{{"directoryRead", true}};
  return all;
}

Subscription ChangeListeners::add(Listener listener) {
  auto shared = std::make_shared<Listener>(std::move(listener));
  const std::lock_guard lock(mutex_);
  listeners_.push_back(shared);
  return shared;
}

std::vector<std::shared_ptr<ChangeListeners::Listener>> ChangeListeners::live() const {
  std::vector<std::shared_ptr<Listener>> live;
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  for (const auto& listener : listeners_)
    if (auto shared = listener.lock()) live.push_back(std::move(shared));
  return live;
}

void ChangeListeners::notify(Change change) const {
  for (const auto& listener : live()) {
    if (change == Change::kTools && listener->tools) listener->send("notifications/tools/list_changed", {});
    if (change == Change::kPrompts && listener->prompts)
      listener->send("notifications/prompts/list_changed", {});
  }
}

void ChangeListeners::log(LogSeverity severity, const Json& data) const {
  for (const auto& listener : live())
    if (listener->wants_log && listener->wants_log(severity))
      listener->send("notifications/message",
                     JsonObject{{"level", to_string(severity)}, {"logger", "helve"}, {"data", data}});
}

}  // namespace helve::mcp
