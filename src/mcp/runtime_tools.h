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
  [[nodiscard]] std::optional<TaskSupport> task_support(const std::string& name) override;
  [[nodiscard]] Json header_schema(const std::string& name) override;
  [[nodiscard]] Outcome call(ActiveRequest& request, const std::string& name, Json arguments) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  ClientSessions& sessions_;
};

}  // namespace helve::mcp
