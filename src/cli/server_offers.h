// Offers the resources and prompts of other MCP servers beside Helve's own.
#pragma once

#include <memory>
#include <mutex>

#include "gateway/server_offers.h"
#include "mcp/offer.h"

namespace helve::cli {

// The gateway of the current workspace. May be used from all threads.
class CurrentGateway {
 public:
  void set(const std::shared_ptr<gateway::Gateway>& gateway) {
    const std::lock_guard lock(mutex_);
    gateway_ = gateway;
  }
  [[nodiscard]] std::shared_ptr<gateway::Gateway> get() const {
    const std::lock_guard lock(mutex_);
    return gateway_.lock();
  }

 private:
  mutable std::mutex mutex_;
  std::weak_ptr<gateway::Gateway> gateway_;
};

// `own` and `current` must outlive it.
class AllResources final : public mcp::Resources {
 public:
  AllResources(mcp::Resources& own, const CurrentGateway& current) : own_(own), current_(current) {}

  [[nodiscard]] std::expected<Page, rpc::Failure> list(mcp::ActiveRequest& request,
                                                       const std::string& after) override;
  [[nodiscard]] JsonArray templates() override;
  [[nodiscard]] std::expected<std::optional<JsonArray>, rpc::Failure> read(mcp::ActiveRequest& request,
                                                                           const std::string& uri) override;
  [[nodiscard]] std::expected<mcp::Subscription, rpc::Failure> watch(mcp::ActiveRequest& request,
                                                                     const std::string& uri,
                                                                     std::function<void()> callback) override;
  [[nodiscard]] std::vector<std::string> complete(mcp::ActiveRequest& request,
                                                  const std::string& uri_template,
                                                  const std::string& argument,
                                                  const std::string& value) override;

 private:
  mcp::Resources& own_;
  const CurrentGateway& current_;
};

// `own` and `current` must outlive it.
class AllPrompts final : public mcp::Prompts {
 public:
  AllPrompts(mcp::Prompts& own, const CurrentGateway& current) : own_(own), current_(current) {}

  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::expected<std::optional<Json>, rpc::Failure> get(mcp::ActiveRequest& request,
                                                                     const std::string& name,
                                                                     const Json& arguments) override;
  [[nodiscard]] std::vector<std::string> complete(const std::string& name, const std::string& argument,
                                                  const std::string& value) override;
  [[nodiscard]] mcp::Subscription on_change(std::function<void()> callback) override;

 private:
  mcp::Prompts& own_;
  const CurrentGateway& current_;
};

}  // namespace helve::cli
