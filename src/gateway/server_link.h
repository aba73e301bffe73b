// One configured server: started on demand, and restarted when it is lost.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gateway/connection.h"
#include "gateway/server_config.h"

namespace helve::gateway {

struct ServerStatus {
  enum class State { kIdle, kStarting, kReady, kFailed };

  std::string name = {};
  State state = State::kIdle;
  std::optional<ServerFacts> facts = {};  // from the last time it was ready
  std::vector<RemoteTool> tools = {};
  std::vector<std::string> refused_tools = {};
  std::vector<std::string> other_tools = {};  // some tools that the settings exclude
  std::string problem = {};                   // why it last failed
  std::string stderr_tail = {};
};

// Shared by the gateway and its tools. May be used from all threads.
class ServerLink {
 public:
  using OpenConnection =
      std::function<Expected<std::unique_ptr<Connection>>(ConnectionOptions options, const Terms& terms)>;

  struct Parts {
    ServerConfig config;
    ConnectionOptions options;  // of every connection; callbacks are added by the link
    OpenConnection open;
    std::optional<Json> capabilities = {};  // from an earlier run, if they are known
    // Called on the link's thread when the tools are known or have changed.
    std::function<void(const ServerStatus& status)> on_tools;
    // Pauses between attempts to start a failing server: they double from the first to the longest.
    std::chrono::milliseconds first_pause{1'000};
    std::chrono::milliseconds longest_pause{60'000};
    int attempts = 5;  // in a row before it waits for the next call
  };

  // The logger must outlive it.
  ServerLink(Parts parts, Logger& logger);
  ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  // Starts the server in the background, once.
  void start();
  // Starts the server if necessary and waits for it as long as the terms allow.
  [[nodiscard]] Expected<Json> call(const RemoteTool& tool, const Json& arguments, const Terms& terms);
  // The same for any other request.
  [[nodiscard]] Expected<Json> request(const std::string& method, const Json& params, const Terms& terms);
  // False if it is known that the server does not have the capability; does not start it.
  [[nodiscard]] bool may_offer(std::string_view capability) const;
  // Notes the resources that a result links to, so that they can be read from this server.
  void note_links(const Json& result);
  [[nodiscard]] bool has_linked(const std::string& uri) const;
  [[nodiscard]] ServerStatus status() const;
  // True once it is ready or has failed.
  [[nodiscard]] bool wait_until_settled(const Terms& terms) const;
  // Waits while its start is under way. Returns at once if nobody has started it.
  void wait_while_starting(const Terms& terms) const;
  // Ends the server and waits for it. Later calls fail, and callbacks stop.
  void close();

  [[nodiscard]] const ServerConfig& config() const { return parts_.config; }

 private:
  using Use = std::function<Expected<Json>(Connection&)>;
  [[nodiscard]] Expected<Json> use_connection(const Use& use, const Terms& terms);
  [[nodiscard]] Expected<std::shared_ptr<Connection>> ready_connection(
      const Terms& terms, const std::shared_ptr<Connection>& lost);
  void run(const std::stop_token& stop);
  [[nodiscard]] bool wait_until_wanted(const std::stop_token& stop, Clock::time_point until);
  void attempt(const std::stop_token& stop);
  void stay_connected(const std::stop_token& stop);
  [[nodiscard]] Expected<ToolList> read_list(Connection& connection, const std::stop_token& stop);
  void publish(ToolList list);
  void restart_if_hung(const std::shared_ptr<Connection>& connection);
  void note_failure(const Error& error, std::string stderr_tail, bool of_attempt = true);

  const Parts parts_;
  Logger& logger_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  ServerStatus status_;
  std::shared_ptr<Connection> connection_;  // null unless ready
  std::optional<Error> failure_;            // of the last attempt
  std::uint64_t attempts_made_ = 0;
  int failures_in_a_row_ = 0;
  int waiting_ = 0;  // calls that wait for it to be ready
  bool tools_changed_ = false;
  bool ended_ = false;
  Clock::time_point list_expires_ = Clock::time_point::max();
  bool closed_ = false;
  std::set<std::string> linked_;  // URIs
  std::jthread thread_;
};

}  // namespace helve::gateway
