// A conversation with one MCP server, of either era: requests, and answers to what the server asks.
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
#include "gateway/answers.h"
#include "gateway/channel.h"
#include "gateway/handshake.h"
#include "gateway/protocol.h"
#include "gateway/remote_tool.h"
#include "helve/log.h"

namespace helve::gateway {

struct ConnectionOptions {
  std::string server = {};     // its name in the configuration
  std::string workspace = {};  // an absolute path: the root that servers get to know
  Offers offers = {};
  std::optional<rpc::Era> era = {};  // see HandshakeOptions
  std::chrono::milliseconds probe_time{5'000};
  // Makes the way to the server; called again when an old server did not survive being asked for its era.
  std::function<Expected<std::unique_ptr<Channel>>(Listener&)> open_channel = {};
  // Both from threads that must not be held up.
  std::function<void()> on_tools_changed = {};
  std::function<void(const Error& why)> on_end = {};
};

// What tools/list gave.
struct ToolList {
  std::vector<RemoteTool> tools = {};
  std::vector<std::string> refused = {};                   // why some that were listed are not there
  std::optional<std::chrono::milliseconds> lifetime = {};  // how long the server says that it holds
};

// May be used from all threads. Destroying it closes the channel and gives up whatever is under way.
class Connection final : private Listener {
 public:
  // The logger must outlive it. The terms are for all of the handshake.
  [[nodiscard]] static Expected<std::unique_ptr<Connection>> open(ConnectionOptions options, Logger& logger,
                                                                  const Terms& terms);
  ~Connection() override;

  [[nodiscard]] ServerFacts facts() const;
  // The result of a request. What the server wants to know first is asked of the caller in the terms.
  [[nodiscard]] Expected<Json> request(const std::string& method, Json params, const Terms& terms);
  [[nodiscard]] Expected<ToolList> list_tools(const Terms& terms);
  // The result as it came; isError is for whoever reads it.
  [[nodiscard]] Expected<Json> call_tool(const RemoteTool& tool, const Json& arguments, Terms terms);
  // From now on on_tools_changed is called, if the server tells about such things.
  void follow_changes();
  [[nodiscard]] std::string last_words() const;
  [[nodiscard]] bool has_ended() const;
  void close();

 private:
  class ProgressPlace;

  Connection(ConnectionOptions options, Logger& logger);

  void on_request(rpc::Request request, const std::shared_ptr<const Caller>& caller) override;
  void on_notification(rpc::Notification notification) override;
  void on_end(const Error& why) override;

  [[nodiscard]] Expected<void> shake_hands_on_new_channel(std::optional<rpc::Era> era, const Terms& terms);
  [[nodiscard]] HandshakeOptions handshake_options(std::optional<rpc::Era> era);
  [[nodiscard]] Expected<Json> request_once(const std::string& method, const Json& params,
                                            const Terms& terms);
  [[nodiscard]] Expected<Json> exchange(const std::string& method, const Json& params, const Terms& terms);
  [[nodiscard]] Expected<void> renew_session(std::uint64_t seen, const Terms& terms);
  [[nodiscard]] Expected<Json> gather_input(const Json& requests, const Terms& terms);
  [[nodiscard]] Expected<void> visit_pages(const Error& refusal, const Terms& terms);
  void take_progress(const Json& params);
  void take_log_entry(const Json& params);
  void listen_for_changes();

  const ConnectionOptions options_;
  Logger& logger_;
  std::atomic<std::int64_t> last_id_ = 0;
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::shared_ptr<Channel> channel_;
  ServerFacts facts_;
  std::uint64_t sessions_ = 0;  // how often both sides have agreed
  bool probing_ = true;         // until then, an end is no news to the outside
  std::optional<Error> ended_;
  std::mutex renewing_;

  std::mutex progress_mutex_;
  std::map<std::int64_t, const Caller*> progress_;

  std::atomic<int> requests_under_way_ = 0;
  WorkerPool workers_;  // last, so that its jobs find everything else
};

}  // namespace helve::gateway
