// Offers the workspace's files and the session's saved results as MCP resources.
#pragma once

#include "base/file_watcher.h"
#include "mcp/client_sessions.h"
#include "mcp/offer.h"

namespace helve::mcp {

class WorkspaceResources final : public Resources {
 public:
  // `sessions` must outlive it.
  explicit WorkspaceResources(ClientSessions& sessions) : sessions_(sessions) {}

  [[nodiscard]] std::expected<Page, rpc::Failure> list(ActiveRequest& request,
                                                       const std::string& after) override;
  [[nodiscard]] JsonArray templates() override;
  [[nodiscard]] std::expected<std::optional<JsonArray>, rpc::Failure> read(ActiveRequest& request,
                                                                           const std::string& uri) override;
  [[nodiscard]] std::expected<Subscription, rpc::Failure> watch(ActiveRequest& request,
                                                                const std::string& uri,
                                                                std::function<void()> callback) override;
  [[nodiscard]] std::vector<std::string> complete(ActiveRequest& request, const std::string& uri_template,
                                                  const std::string& argument,
                                                  const std::string& value) override;

 private:
  ClientSessions& sessions_;
  FileWatcher watcher_;
};

}  // namespace helve::mcp
