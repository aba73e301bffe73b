// Two tools in the place of all: one finds the others and loads them, one uses them. For clients whose models
// have little room.
#pragma once

#include <string>
#include <vector>

#include "mcp/offer.h"

namespace helve::mcp {

// May be used from all threads.
class ToolSearch final : public Tools {
 public:
  // What can be found; must outlive it.
  explicit ToolSearch(Tools& all) : all_(all) {}

  // The two, and those that the client has loaded.
  [[nodiscard]] JsonArray list(Call& call) override;
  [[nodiscard]] std::optional<TaskSupport> task_support(const std::string& name) override;
  [[nodiscard]] Json header_schema(const std::string& name) override { return all_.header_schema(name); }
  [[nodiscard]] Outcome call(Call& call, const std::string& name, Json arguments) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override {
    return all_.on_change(std::move(callback));
  }

 private:
  [[nodiscard]] Outcome find(Call& call, const Json& arguments);
  [[nodiscard]] Outcome use(Call& call, const Json& arguments);

  Tools& all_;
};

// The tools that fit the words best, best first; definitions as in tools/list.
[[nodiscard]] std::vector<Json> fitting_tools(const JsonArray& tools, std::string_view query,
                                              std::size_t most);

}  // namespace helve::mcp
