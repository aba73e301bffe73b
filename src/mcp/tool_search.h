// Replaces the tool list by two tools, find_tools and use_tool, for models with a small context.
#pragma once

#include <string>
#include <vector>

#include "mcp/offer.h"

namespace helve::mcp {

// May be used from all threads.
class ToolSearch final : public Tools {
 public:
  // `all` are the tools that can be found; it must outlive this object.
  explicit ToolSearch(Tools& all) : all_(all) {}

  // find_tools, use_tool, and the tools that the client has found.
  [[nodiscard]] JsonArray list(ActiveRequest& request) override;
  [[nodiscard]] std::optional<OfferedTool> find(const std::string& name) override;
  [[nodiscard]] std::expected<OfferedTool, rpc::Failure> wait_for(ActiveRequest& request,
                                                                  const std::string& name) override;
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override {
    return all_.on_change(std::move(callback));
  }

 private:
  [[nodiscard]] std::optional<OfferedTool> own(const std::string& name);
  [[nodiscard]] Outcome find_tools(ActiveRequest& request, const Json& arguments);
  [[nodiscard]] Outcome use_tool(ActiveRequest& request, const Json& arguments);

  Tools& all_;
};

// The tools that match the query best, best first; definitions as in tools/list.
[[nodiscard]] std::vector<Json> matching_tools(const JsonArray& tools, std::string_view query,
                                               std::size_t most);

}  // namespace helve::mcp
