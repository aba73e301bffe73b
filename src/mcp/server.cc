#include "mcp/server.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve::mcp {

using rpc::Era;

struct Server::Method {
  enum class In { kOld, kModern, kBoth };
  enum class Result { kPlain, kCacheable };
  std::string_view name;
  In in;
  Outcome (Server::*run)(Call&);
  Result result = Result::kPlain;
};

Server::Server(ServerOptions options, Offers offers)
    : options_(std::move(options)),
      offers_(offers),
      parking_(options_.patience),
      long_calls_(options_.long_call) {
  const auto tell = [this](Audience::News news) { return [this, news] { audience_.tell(news); }; };
  if (offers_.tools != nullptr) changes_.push_back(offers_.tools->on_change(tell(Audience::News::kTools)));
  if (offers_.prompts != nullptr)
    changes_.push_back(offers_.prompts->on_change(tell(Audience::News::kPrompts)));
  prompts_change_ = offers_.prompts != nullptr && changes_.back() != nullptr;
}

Server::~Server() { changes_.clear(); }

const Server::Method* Server::find(std::string_view method, Era era) {
  using In = Method::In;
  constexpr auto kCacheable = Method::Result::kCacheable;
  static constexpr auto kMethods = std::to_array<Method>({
      {"tools/call", In::kBoth, &Server::call_tool},
      {"tools/list", In::kBoth, &Server::list_tools, kCacheable},
      {"initialize", In::kOld, &Server::initialize},
      {"server/discover", In::kModern, &Server::discover, kCacheable},
      {"ping", In::kOld, &Server::ping},
      {"logging/setLevel", In::kOld, &Server::set_level},
      {"resources/list", In::kBoth, &Server::list_resources, kCacheable},
      {"resources/templates/list", In::kBoth, &Server::list_templates, kCacheable},
      {"resources/read", In::kBoth, &Server::read_resource, kCacheable},
      {"resources/subscribe", In::kOld, &Server::subscribe},
      {"resources/unsubscribe", In::kOld, &Server::unsubscribe},
      {"prompts/list", In::kBoth, &Server::list_prompts, kCacheable},
      {"prompts/get", In::kBoth, &Server::get_prompt},
      {"completion/complete", In::kBoth, &Server::complete},
      {"subscriptions/listen", In::kModern, &Server::listen},
      {"tasks/get", In::kBoth, &Server::get_task},
      {"tasks/update", In::kModern, &Server::update_task},
      {"tasks/cancel", In::kBoth, &Server::cancel_task},
      {"tasks/result", In::kOld, &Server::task_result},
      {"tasks/list", In::kOld, &Server::list_tasks},
  });
  const auto wanted = era == Era::kModern ? In::kModern : In::kOld;
  const auto* found = std::ranges::find_if(kMethods, [&](const Method& known) {
    return known.name == method && (known.in == In::kBoth || known.in == wanted);
  });
  return found != kMethods.end() ? found : nullptr;
}

bool Server::knows(std::string_view method, Era era) { return find(method, era) != nullptr; }

bool Server::is_modern(const rpc::Request& request) {
  if (request.method == "server/discover") return true;
  const Json* meta = request.params.find("_meta");
  return meta != nullptr && meta->find(rpc::kMetaRevision) != nullptr;
}

namespace {

std::expected<ClientInfo, rpc::Failure> info_of(const Json& params) {
  const Json* meta = params.find("_meta");
  if (meta == nullptr || !meta->is_object())
    return failure(rpc::kInvalidParams,
                   concat("params._meta is missing; every request has to carry ", rpc::kMetaRevision, " and ",
                          rpc::kMetaClientCapabilities, "."));
  const Json* revision = meta->find(rpc::kMetaRevision);
  if (revision == nullptr || !revision->is_string())
    return failure(rpc::kInvalidParams, concat("params._meta lacks ", rpc::kMetaRevision, "."));
  const Json* capabilities = meta->find(rpc::kMetaClientCapabilities);
  if (capabilities == nullptr || !capabilities->is_object())
    return failure(rpc::kInvalidParams, concat("params._meta lacks ", rpc::kMetaClientCapabilities, "."));
  if (revision->as_string() != rpc::kModernRevision)
    return failure(rpc::kUnsupportedRevision,
                   concat("Revision ", revision->as_string(), " is not spoken here."),
                   JsonObject{{"supported", JsonArray{rpc::kModernRevision}}, {"requested", *revision}});
  ClientInfo info{.revision = revision->as_string(), .capabilities = *capabilities};
  if (const Json* client = meta->find(rpc::kMetaClientInfo); client != nullptr) {
    if (const Json* name = client->find("name"); name != nullptr && name->is_string())
      info.name = name->as_string();
    if (const Json* version = client->find("version"); version != nullptr && version->is_string())
      info.version = version->as_string();
  }
  return info;
}

constexpr std::string_view kIdInUse = "A request with this id is under way already.";

// Only these may come back with answers.
bool may_return(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read";
}

}  // namespace

std::optional<rpc::Failure> Server::check(const rpc::Request& request, Era era) {
  if (find(request.method, era) == nullptr)
    return rpc::Failure{rpc::kMethodNotFound, concat("There is no method ", request.method, ".")};
  if (era == Era::kModern)
    if (auto stated = info_of(request.params); !stated) return std::move(stated.error());
  return {};
}

void Server::serve(const std::shared_ptr<Client>& client, Era era, rpc::Request request,
                   const std::shared_ptr<Responder>& responder) {
  const auto refuse = [&](rpc::Failure failure) {
    client->renounce(request.id);
    responder->answer({.id = request.id, .failure = std::move(failure)});
  };
  const Method* method = find(request.method, era);
  if (method == nullptr)
    return refuse({rpc::kMethodNotFound, concat("There is no method ", request.method, ".")});
  std::shared_ptr<const ClientInfo> info;
  if (era == Era::kModern) {
    auto stated = info_of(request.params);
    if (!stated) return refuse(std::move(stated.error()));
    info = std::make_shared<const ClientInfo>(*std::move(stated));
  } else {
    info = client->info();
  }
  if (const Json* state = request.params.find("requestState");
      era == Era::kModern && state != nullptr && state->is_string() && may_return(request.method)) {
    auto waiting = parking_.claim(state->as_string(), request);
    if (!waiting) return refuse(std::move(waiting.error()));
    switch ((*waiting)->resume(client, request, responder)) {
      case Call::Resumed::kYes: return;
      case Call::Resumed::kHasEnded: return refuse({rpc::kInvalidParams, "The call has ended."});
      case Call::Resumed::kIdInUse: return refuse({rpc::kInvalidRequest, std::string(kIdInUse)});
    }
  }
  auto stop = client->begin(request.id);
  if (!stop) return refuse({rpc::kInvalidRequest, std::string(kIdInUse)});
  if (stop->stop_requested()) {
    client->end(request.id);
    return refuse({rpc::kInternalError, "The request was cancelled before its turn came."});
  }
  const auto call = std::make_shared<Call>(Call::Parts{parking_, tasks_, client, std::move(info),
                                                       std::move(request), responder, *std::move(stop)});
  call->finish(run(*method, *call));
}

Outcome Server::run(const Method& method, Call& call) {
  Outcome outcome;
  try {
    outcome = (this->*method.run)(call);
  } catch (const std::exception&) {  // a bug; the client gets an answer, and the next request is served
    outcome = failure(rpc::kInternalError, "An internal error occurred.");
  }
  if (!outcome || !call.info().is_modern()) return outcome;
  Json& result = *outcome;
  if (result.find("resultType") == nullptr) result["resultType"] = rpc::kComplete;
  if (method.result == Method::Result::kCacheable) {
    if (result.find("ttlMs") == nullptr) result["ttlMs"] = 0;
    if (result.find("cacheScope") == nullptr) result["cacheScope"] = "private";
  }
  result["_meta"][rpc::kMetaServerInfo] = implementation();
  return outcome;
}

void Server::take(const std::shared_ptr<Client>& client, const rpc::Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    if (const Json* id = notification.params.find("requestId")) client->cancel(*id);
    return;
  }
  if (notification.method == "notifications/roots/list_changed") return client->roots_changed();
  if (notification.method == "notifications/initialized") {
    // From now on it hears of changes, through a handle that lives as long as the client.
    std::weak_ptr<Client> weak = client;
    client->keep("",
                 audience_.add({.tools = true,
                                .prompts = true,
                                .wants_log =
                                    [weak](LogSeverity severity) {
                                      const auto strong = weak.lock();
                                      return strong && severity >= strong->log_level();
                                    },
                                .hear =
                                    [weak](const std::string& method, Json params) {
                                      if (const auto strong = weak.lock())
                                        strong->send(to_json(rpc::Notification{method, std::move(params)}));
                                    }}));
  }
}

void Server::leave(const std::shared_ptr<Client>& client) {
  client->set_outlet({});
  client->cancel_all();
  tasks_.cancel_all(client.get());
  client->seat().leave();
}

void Server::stop() {
  parking_.close();
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
  if (client.is_modern()) {
    all["extensions"] = JsonObject{{std::string(rpc::kTasksExtension), JsonObject()}};
  } else if (client.revision >= "2025-11-25") {
    all["tasks"] = JsonObject{{"list", JsonObject()},
                              {"cancel", JsonObject()},
                              {"requests", JsonObject{{"tools", JsonObject{{"call", JsonObject()}}}}}};
  }
  return all;
}

}  // namespace helve::mcp
