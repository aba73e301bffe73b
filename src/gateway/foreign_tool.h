// Another server's tool as one of ours, on the same path as all others.
#pragma once

#include <memory>
#include <string>

#include "gateway/remote_tool.h"
#include "gateway/server_link.h"
#include "helve/tool.h"

namespace helve::gateway {

class ForeignTool final : public Tool {
 public:
  // The logger must outlive it.
  ForeignTool(std::string name, const std::string& label, RemoteTool remote, std::shared_ptr<ServerLink> link,
              Logger& logger);

  [[nodiscard]] const ToolDefinition& definition() const override { return definition_; }
  [[nodiscard]] std::vector<Resource> resources(const Json& arguments) const override;
  [[nodiscard]] Result execute(Context& context, const Json& arguments) const override;

 private:
  void heed_plugin(const PluginServer& plugin, const std::string& name);

  const RemoteTool remote_;
  const std::shared_ptr<ServerLink> link_;
  Logger& logger_;
  ToolDefinition definition_;
};

}  // namespace helve::gateway
