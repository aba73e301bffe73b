// The runtime's tools, offered to clients.
#pragma once

#include <mutex>

#include "mcp/client_sessions.h"
#include "mcp/offer.h"

namespace helve::mcp {

class RuntimeTools final : public Tools {
 public:
  // `sessions` must outlive it.
  explicit RuntimeTools(ClientSessions& sessions) : sessions_(sessions) {}

  [[nodiscard]] JsonArray list(ActiveRequest& request) override;
  [[nodiscard]] std::optional<OfferedTool> find(const std::string& name) override;
  [[nodiscard]] std::expected<OfferedTool, rpc::Failure> wait_for(ActiveRequest& request,
                                                                  const std::string& name) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  ClientSessions& sessions_;
};

}  // namespace helve::mcp
