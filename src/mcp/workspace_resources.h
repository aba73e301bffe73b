// The files of the workspace and the long results of the session, offered as resources.
#pragma once

#include "base/file_watcher.h"
#include "mcp/house.h"
#include "mcp/offer.h"

namespace helve::mcp {

class WorkspaceResources final : public Resources {
 public:
  // The house must outlive it.
  explicit WorkspaceResources(House& house) : house_(house) {}

  [[nodiscard]] std::expected<Page, rpc::Failure> list(Call& call, const std::string& after) override;
  [[nodiscard]] JsonArray templates() override;
  [[nodiscard]] std::expected<std::optional<JsonArray>, rpc::Failure> read(Call& call,
                                                                           const std::string& uri) override;
  [[nodiscard]] std::expected<Subscription, rpc::Failure> watch(Call& call, const std::string& uri,
                                                                std::function<void()> callback) override;
  [[nodiscard]] std::vector<std::string> complete(Call& call, const std::string& uri_template,
                                                  const std::string& argument,
                                                  const std::string& value) override;

 private:
  House& house_;
  FileWatcher watcher_;
};

}  // namespace helve::mcp
