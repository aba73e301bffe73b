// One configured server, kept at hand: started when it is needed, started again when it has gone.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
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
  std::optional<ServerFacts> facts = {};  // as of the last time it was ready
  std::vector<RemoteTool> tools = {};
  std::vector<std::string> refused_tools = {};
  std::vector<std::string> other_tools = {};  // some that it has, and that are not wanted of it
  std::string problem = {};                   // why it failed the last time
  std::string last_words = {};
};

// Shared by the gateway and by the tools that go through it. May be used from all threads.
class ServerLink {
 public:
  using OpenConnection =
      std::function<Expected<std::unique_ptr<Connection>>(ConnectionOptions options, const Terms& terms)>;

  struct Parts {
    ServerConfig config;
    ConnectionOptions options;  // of every connection; what is called back is added here
    OpenConnection open;
    // When the list of tools is there or has changed. From the link's own thread.
    std::function<void(const ServerStatus& status)> on_tools;
    // Times between two attempts to start a server that fails: the first, and the longest.
    std::chrono::milliseconds first_pause{1'000};
    std::chrono::milliseconds longest_pause{60'000};
    int attempts = 5;  // in a row before it is left alone until somebody calls
  };

  // The logger must outlive it.
  ServerLink(Parts parts, Logger& logger);
  ~ServerLink();
  ServerLink(const ServerLink&) = delete;
  ServerLink& operator=(const ServerLink&) = delete;

  // Starts it in the background, if that has not been done.
  void start();
  // Starts it if need be, and waits for it as long as the terms allow.
  [[nodiscard]] Expected<Json> call(const RemoteTool& tool, const Json& arguments, const Terms& terms);
  [[nodiscard]] ServerStatus status() const;
  // True once it is ready or has failed.
  [[nodiscard]] bool wait_until_settled(const Terms& terms) const;
  // Nothing can be called any more, and nobody is called back. Waits for the server's end.
  void close();

  [[nodiscard]] const ServerConfig& config() const { return parts_.config; }

 private:
  [[nodiscard]] Expected<std::shared_ptr<Connection>> ready_connection(
      const Terms& terms, const std::shared_ptr<Connection>& lost);
  void run(const std::stop_token& stop);
  [[nodiscard]] bool wait_until_wanted(const std::stop_token& stop, Clock::time_point until);
  void attempt(const std::stop_token& stop);
  void stay_connected(const std::stop_token& stop);
  [[nodiscard]] Expected<ToolList> read_list(Connection& connection, const std::stop_token& stop);
  void publish(ToolList list);
  void give_up_if_silent(const std::shared_ptr<Connection>& connection);
  void note_failure(const Error& error, std::string last_words, bool of_attempt = true);

  const Parts parts_;
  Logger& logger_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  ServerStatus status_;
  std::shared_ptr<Connection> connection_;  // there while it is ready
  std::optional<Error> failure_;            // of the last attempt
  std::uint64_t attempts_made_ = 0;
  int failures_in_a_row_ = 0;
  int waiting_ = 0;  // calls that wait for it to be ready
  bool tools_changed_ = false;
  bool ended_ = false;
  Clock::time_point list_expires_ = Clock::time_point::max();
  bool closed_ = false;
  std::jthread thread_;
};

}  // namespace helve::gateway
