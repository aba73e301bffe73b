// Gives each MCP client its session in the runtime, and moves to another workspace when the client's roots
// do.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/runtime_class.h"
#include "mcp/client_user.h"

namespace helve::mcp {

struct ClientSession final : ClientSessionSlot::Content {
  [[nodiscard]] bool is_busy() const override;  // whether a command is running

  std::shared_ptr<Runtime> runtime;
  std::shared_ptr<Session> session;
  std::shared_ptr<ClientUser> user;
};

// Opens sessions in the runtime of one workspace. If it can move, the workspace is the first root of its only
// client, provided the client has roots. May be used from all threads.
class ClientSessions {
 public:
  // Makes the runtime of another workspace.
  using Move = std::function<Expected<std::shared_ptr<Runtime>>(const std::string& workspace)>;

  // Makes the approver of a session from the one that asks its client.
  using Share = std::function<std::shared_ptr<Approver>(std::shared_ptr<Approver> client, Runtime& runtime)>;

  explicit ClientSessions(std::shared_ptr<Runtime> runtime, Move move = {}, Share share = {});

  [[nodiscard]] std::shared_ptr<Runtime> runtime() const;
  // The session of the request's client, opened at its first use.
  [[nodiscard]] Expected<std::shared_ptr<ClientSession>> session_of(ActiveRequest& request);
  // Calls back when the set of tools changes, including after a move.
  [[nodiscard]] Subscription on_tools_change(std::function<void()> callback);

 private:
  void follow_roots(ActiveRequest& request);
  void use_runtime(std::shared_ptr<Runtime> runtime);

  const Move move_;
  const Share share_;  // may be null
  std::mutex moving_;  // held while roots are requested, so that no call runs in the wrong workspace
  mutable std::mutex mutex_;
  std::shared_ptr<Runtime> runtime_;
  struct Callbacks {
    std::mutex mutex = {};
    std::vector<std::weak_ptr<std::function<void()>>> all = {};
    void call();
  };
  const std::shared_ptr<Callbacks> callbacks_ = std::make_shared<Callbacks>();
  Subscription changes_;  // of the runtime's registry
};

}  // namespace helve::mcp
