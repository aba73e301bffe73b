// An MCP server apart from how messages come and go: every method of both eras over what is offered.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/audience.h"
#include "mcp/call.h"
#include "mcp/client.h"
#include "mcp/long_calls.h"
#include "mcp/offer.h"
#include "mcp/parking.h"
#include "mcp/tasks.h"

namespace helve::mcp {

struct ServerOptions {
  std::string name = "helve";
  std::string title = "Helve";
  std::string version = {};
  std::string instructions = {};
  std::size_t page = 250;                       // entries of a list in one answer
  std::chrono::milliseconds patience{600'000};  // for a client to come back with an answer
  // A call that takes longer becomes a task, when the client knows tasks and the tool may be one.
  std::chrono::milliseconds long_call{20'000};
};

// Of one client.
inline constexpr std::size_t kMostSubscriptions = 1'000;

// May be used from all threads. The offers must outlive it; each may be null.
class Server {
 public:
  struct Offers {
    Tools* tools = nullptr;
    Resources* resources = nullptr;
    Prompts* prompts = nullptr;
  };

  Server(ServerOptions options, Offers offers);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Which era a request belongs to, as far as it says so itself.
  [[nodiscard]] static bool is_modern(const rpc::Request& request);
  [[nodiscard]] static bool knows(std::string_view method, rpc::Era era);
  // What is wrong with it before anything is done.
  [[nodiscard]] static std::optional<rpc::Failure> check(const rpc::Request& request, rpc::Era era);

  // Works on a request to its end, or until its call waits or listens elsewhere; the answer goes to the
  // responder, perhaps later. `stop` is stopped from outside.
  void serve(const std::shared_ptr<Client>& client, rpc::Era era, rpc::Request request,
             const std::shared_ptr<Responder>& responder);
  void take(const std::shared_ptr<Client>& client, const rpc::Notification& notification);
  // The client has gone: its calls are cancelled, what it subscribed to is ended.
  void leave(const std::shared_ptr<Client>& client);
  // Tells all clients of the old era that want to hear of such things. In the modern one only calls have
  // logs.
  void log(LogSeverity severity, const Json& data) const { audience_.log(severity, data); }
  // Stops everything, for the end of the program.
  void stop();

  [[nodiscard]] Offers& offers() { return offers_; }

 private:
  struct Method;
  static const Method* find(std::string_view method, rpc::Era era);

  Outcome run(const Method& method, Call& call);

  Outcome initialize(Call& call);
  Outcome discover(Call& call);
  Outcome ping(Call& call);
  Outcome set_level(Call& call);
  Outcome list_tools(Call& call);
  Outcome call_tool(Call& call);
  Outcome list_resources(Call& call);
  Outcome list_templates(Call& call);
  Outcome read_resource(Call& call);
  Outcome subscribe(Call& call);
  Outcome unsubscribe(Call& call);
  Outcome list_prompts(Call& call);
  Outcome get_prompt(Call& call);
  Outcome complete(Call& call);
  Outcome listen(Call& call);
  Outcome get_task(Call& call);
  Outcome update_task(Call& call);
  Outcome cancel_task(Call& call);
  Outcome task_result(Call& call);
  Outcome list_tasks(Call& call);

  [[nodiscard]] Json capabilities(const ClientInfo& client) const;
  [[nodiscard]] Json implementation() const;
  [[nodiscard]] Outcome page_of(Call& call, std::string_view name, JsonArray all) const;

  const ServerOptions options_;
  Offers offers_;
  Parking parking_;
  TaskTable tasks_;
  Audience audience_;
  std::vector<Subscription> changes_;
  bool prompts_change_ = false;  // and the offer tells when
  LongCalls long_calls_;
};

}  // namespace helve::mcp
