// The MCP server of the `helve` program, as `helve mcp` and `helve serve` use it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log_relay.h"
#include "cli/shell.h"
#include "gateway/gateway.h"
#include "mcp/runtime_tools.h"
#include "mcp/server.h"
#include "mcp/skill_prompts.h"
#include "mcp/tool_search.h"
#include "mcp/workspace_resources.h"

namespace helve::cli {

struct ServingOptions {
  std::vector<std::string> tools;
  bool search_tools = false;

  void describe(ParamSpec& p) {
    p.optional("tools", tools,
               "Tools and groups to offer instead of those of the settings; may be repeated.");
    p.optional("searchTools", search_tools,
               "List only find_tools and use_tool, through which the others are found, loaded and used.");
  }
};

class McpHouse {
 public:
  // How many clients there are, and so whether the workspace may be where its one client works.
  enum class Clients { kOne, kMany };
  // The shell must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<McpHouse>> build(const Shell& shell,
                                                                 const ServingOptions& options,
                                                                 Clients clients);

  [[nodiscard]] mcp::Server& server() { return server_; }
  [[nodiscard]] std::shared_ptr<Runtime> runtime() const { return house_.runtime(); }

 private:
  McpHouse(const Shell& shell, const ServingOptions& options, std::shared_ptr<Runtime> runtime,
           mcp::House::Move move);

  mcp::House house_;
  mcp::RuntimeTools tools_;
  mcp::ToolSearch search_;
  mcp::WorkspaceResources resources_;
  mcp::SkillPrompts prompts_;
  mcp::Server server_;
  const LogRelay relay_;  // to the clients; ends before the server
};

}  // namespace helve::cli
