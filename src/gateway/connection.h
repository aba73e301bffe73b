// A connection to one MCP server of either protocol: sends requests and answers the server's.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/worker_pool.h"
#include "gateway/channel.h"
#include "gateway/protocol.h"
#include "gateway/remote_tool.h"
#include "gateway/server_requests.h"
#include "helve/log.h"

namespace helve::gateway {

struct ConnectionOptions {
  std::string server = {};     // name in the configuration
  std::string workspace = {};  // absolute path; reported to servers as the root
  Offers offers = {};
  std::optional<rpc::Protocol> protocol = {};  // see HandshakeOptions
  std::chrono::milliseconds probe_time{5'000};
  // Opens the transport. Called again if a session-based server exits when it is probed.
  std::function<Expected<std::unique_ptr<Channel>>(Listener&)> open_channel = {};
  // Both are called from threads that must not block.
  std::function<void()> on_tools_changed = {};
  std::function<void(const Error& why)> on_end = {};
};

// The result of tools/list.
struct ToolList {
  std::vector<RemoteTool> tools = {};
  std::vector<std::string> refused = {};  // why listed tools were refused
  std::optional<std::chrono::milliseconds> lifetime =
      {};  // how long the list is valid, if the server says so
};

// May be used from all threads. Destroying it closes the channel and cancels running requests.
class Connection final : private Listener {
 public:
  // The logger must outlive it. The terms apply to the whole handshake.
  [[nodiscard]] static Expected<std::unique_ptr<Connection>> open(ConnectionOptions options, Logger& logger,
                                                                  const Terms& terms);
  ~Connection() override;

  [[nodiscard]] ServerFacts facts() const;
  // The result of a request. If the server needs input first, the caller in the terms is asked.
  [[nodiscard]] Expected<Json> request(const std::string& method, Json params, const Terms& terms);
  [[nodiscard]] Expected<ToolList> list_tools(const Terms& terms);
  // The raw result; check isError.
  [[nodiscard]] Expected<Json> call_tool(const RemoteTool& tool, const Json& arguments, Terms terms);
  // Calls on_tools_changed from now on, if the server reports changes.
  void follow_changes();
  [[nodiscard]] std::string stderr_tail() const;
  [[nodiscard]] bool has_ended() const;
  void close();

 private:
  class ProgressSubscription;

  Connection(ConnectionOptions options, Logger& logger);

  void on_request(rpc::Request request, const std::shared_ptr<const Caller>& caller) override;
  void on_notification(rpc::Notification notification) override;
  void on_end(const Error& why) override;

  [[nodiscard]] Expected<void> reconnect(std::optional<rpc::Protocol> protocol, const Terms& terms);
  [[nodiscard]] HandshakeOptions handshake_options(std::optional<rpc::Protocol> protocol);
  [[nodiscard]] Expected<Json> request_once(const std::string& method, const Json& params,
                                            const Terms& terms);
  [[nodiscard]] Expected<Json> exchange(const std::string& method, const Json& params, const Terms& terms);
  [[nodiscard]] Expected<void> renew_session(std::uint64_t seen, const Terms& terms);
  [[nodiscard]] Expected<Json> gather_input(const Json& requests, const Terms& terms);
  [[nodiscard]] Expected<void> visit_pages(const Error& refusal, const Terms& terms);
  void handle_progress(const Json& params);
  void handle_log_entry(const Json& params);
  void listen_for_changes();

  const ConnectionOptions options_;
  Logger& logger_;
  std::atomic<std::int64_t> last_id_ = 0;
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::shared_ptr<Channel> channel_;
  ServerFacts facts_;
  std::uint64_t sessions_ = 0;  // number of completed handshakes
  bool probing_ = true;         // while true, on_end is not called
  std::optional<Error> ended_;
  std::mutex renewing_;

  std::mutex progress_mutex_;
  std::map<std::int64_t, const Caller*> progress_;

  std::atomic<int> requests_running_ = 0;
  core::WorkerPool workers_;  // last: its jobs use the other members
};

}  // namespace helve::gateway
