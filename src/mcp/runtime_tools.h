// The runtime's tools, offered to clients.
#pragma once

#include <mutex>

#include "mcp/house.h"
#include "mcp/offer.h"

namespace helve::mcp {

class RuntimeTools final : public Tools {
 public:
  // The house must outlive it.
  explicit RuntimeTools(House& house) : house_(house) {}

  [[nodiscard]] JsonArray list(Call& call) override;
  [[nodiscard]] std::optional<TaskSupport> task_support(const std::string& name) override;
  [[nodiscard]] Json header_schema(const std::string& name) override;
  [[nodiscard]] Outcome call(Call& call, const std::string& name, Json arguments) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  House& house_;
};

}  // namespace helve::mcp
