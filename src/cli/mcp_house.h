// The MCP server of the `helve` program, as `helve mcp` and `helve serve` use it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "gateway/gateway.h"
#include "mcp/runtime_tools.h"
#include "mcp/server.h"
#include "mcp/skill_prompts.h"
#include "mcp/workspace_resources.h"

namespace helve::cli {

struct ServingOptions {
  std::vector<std::string> tools;

  void describe(ParamSpec& p) {
    p.optional("tools", tools,
               "Tools and groups to offer instead of those of the settings; may be repeated.");
  }
};

class McpHouse {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<McpHouse>> build(const Shell& shell,
                                                                 const ServingOptions& options);

  [[nodiscard]] mcp::Server& server() { return server_; }
  [[nodiscard]] mcp::House& house() { return house_; }

 private:
  McpHouse(const Shell& shell, std::shared_ptr<Runtime> runtime);

  mcp::House house_;
  std::unique_ptr<gateway::Gateway> gateway_;  // gone before the registry that it fills
  mcp::RuntimeTools tools_;
  mcp::WorkspaceResources resources_;
  mcp::SkillPrompts prompts_;
  mcp::Server server_;
};

}  // namespace helve::cli
