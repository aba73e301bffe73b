// An MCP server without a transport: all methods of the session-based and the stateless protocol.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "mcp/active_request.h"
#include "mcp/client.h"
#include "mcp/offer.h"
#include "mcp/tasks.h"

namespace helve::mcp {

// Receivers of change notifications: initialized clients, and the listening requests of stateless clients.
// Owned by the server. May be used from all threads.
class ChangeListeners {
 public:
  enum class Change { kTools, kPrompts };

  struct Listener {
    bool tools = false;
    bool prompts = false;
    std::function<bool(LogSeverity)> wants_log = {};  // null: no log messages
    // Sends a notification.
    std::function<void(const std::string& method, Json params)> send;
  };

  // The listener is active until the handle is destroyed.
  [[nodiscard]] Subscription add(Listener listener);
  void notify(Change change) const;
  void log(LogSeverity severity, const Json& data) const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Listener>> live() const;

  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<Listener>> listeners_;
};

struct ServerOptions {
  std::string name = "helve";
  std::string title = "Helve";
  std::string version = {};
  std::string instructions = {};
  std::size_t page = 250;  // entries of a list in one answer
  std::chrono::milliseconds input_timeout{
      600'000};  // for a stateless client to repeat a request with answers
  // A call that takes longer becomes a task if the client supports tasks and the tool allows it.
  std::chrono::milliseconds long_call{20'000};
};

// Per client.
inline constexpr std::size_t kMostSubscriptions = 1'000;

// May be used from all threads. The offers must outlive it; each may be null.
class Server {
 public:
  struct Offers {
    Tools* tools = nullptr;
    Resources* resources = nullptr;
    Prompts* prompts = nullptr;
    Skills* skills = nullptr;  // needs resources
  };

  Server(ServerOptions options, Offers offers);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Whether the request itself says that it belongs to the stateless protocol.
  [[nodiscard]] static bool is_stateless(const rpc::Request& request);
  [[nodiscard]] static bool has_method(std::string_view method, rpc::Protocol protocol);
  // Validates a request without running it. Nothing if it is valid.
  [[nodiscard]] static std::optional<rpc::Failure> check(const rpc::Request& request, rpc::Protocol protocol);

  // Runs the request on this thread. The responder gets the answer, which may precede the end of the work if
  // the request becomes a task or waits for input. `checked_tool` is the tool that the request calls, if the
  // caller has looked it up.
  void serve(const std::shared_ptr<Client>& client, rpc::Protocol protocol, rpc::Request request,
             const std::shared_ptr<Responder>& responder, std::optional<OfferedTool> checked_tool = {});
  void handle(const std::shared_ptr<Client>& client, const rpc::Notification& notification);
  // The client disconnected: cancels its requests and tasks and ends its session.
  void disconnect(const std::shared_ptr<Client>& client);
  // Sends a log message to the initialized clients that want it. The stateless protocol logs per request
  // only.
  void log(LogSeverity severity, const Json& data) const { listeners_.log(severity, data); }
  // Cancels suspended requests and tasks before the program ends.
  void stop();

  [[nodiscard]] Offers& offers() { return offers_; }

 private:
  struct Method;
  static const Method* find(std::string_view method, rpc::Protocol protocol);

  Outcome run(const Method& method, ActiveRequest& request);

  Outcome initialize(ActiveRequest& request);
  Outcome discover(ActiveRequest& request);
  Outcome ping(ActiveRequest& request);
  Outcome set_level(ActiveRequest& request);
  Outcome list_tools(ActiveRequest& request);
  Outcome call_tool(ActiveRequest& request);
  Outcome list_resources(ActiveRequest& request);
  Outcome list_templates(ActiveRequest& request);
  Outcome read_resource(ActiveRequest& request);
  Outcome subscribe(ActiveRequest& request);
  Outcome unsubscribe(ActiveRequest& request);
  Outcome list_prompts(ActiveRequest& request);
  Outcome get_prompt(ActiveRequest& request);
  Outcome complete(ActiveRequest& request);
  Outcome list_skills(ActiveRequest& request);
  Outcome get_skill(ActiveRequest& request);
  Outcome read_directory(ActiveRequest& request);
  Outcome listen(ActiveRequest& request);
  Outcome get_task(ActiveRequest& request);
  Outcome update_task(ActiveRequest& request);
  Outcome cancel_task(ActiveRequest& request);
  Outcome task_result(ActiveRequest& request);
  Outcome list_tasks(ActiveRequest& request);

  [[nodiscard]] Json capabilities(const ClientInfo& client) const;
  [[nodiscard]] Json implementation() const;
  [[nodiscard]] Outcome page_of(ActiveRequest& request, std::string_view name, JsonArray all) const;

  const ServerOptions options_;
  Offers offers_;
  SuspendedRequests suspended_;
  TaskTable tasks_;
  ChangeListeners listeners_;
  std::vector<Subscription> changes_;
  bool prompts_change_ = false;  // whether the prompts report changes
  SlowCallWatch slow_calls_;
};

}  // namespace helve::mcp
