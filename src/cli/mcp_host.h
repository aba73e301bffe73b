// The MCP server of the `helve` program, as `helve mcp` and `helve serve` use it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "app/shared_approvals.h"
#include "base/log_relay.h"
#include "cli/server_offers.h"
#include "gateway/gateway.h"
#include "mcp/runtime_tools.h"
#include "mcp/server.h"
#include "mcp/skill_offers.h"
#include "mcp/tool_search.h"
#include "mcp/workspace_resources.h"

namespace helve::cli {

struct ServingOptions {
  std::vector<std::string> tools;
  bool search_tools = false;

  void describe(ParamSpec& p) {
    p.optional("tools", tools, "Tools and groups to offer instead of the configured ones; may be repeated.");
    p.optional("searchTools", search_tools,
               "List only find_tools and use_tool; the others are found through them.");
  }
};

class McpHost {
 public:
  // With one client, the workspace may follow the client's directory.
  enum class Clients { kOne, kMany };
  // The shell must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<McpHost>> build(const app::Invocation& shell,
                                                                const ServingOptions& options,
                                                                Clients clients);

  [[nodiscard]] mcp::Server& server() { return server_; }
  [[nodiscard]] std::shared_ptr<Runtime> runtime() const { return sessions_.runtime(); }

 private:
  struct Parts {
    std::shared_ptr<Runtime> runtime = {};
    mcp::ClientSessions::Move move = {};
    mcp::ClientSessions::Share share = {};
    std::shared_ptr<CurrentGateway> gateway = {};
  };
  McpHost(const app::Invocation& shell, const ServingOptions& options, Parts parts);

  const std::shared_ptr<CurrentGateway> gateway_;
  mcp::ClientSessions sessions_;
  mcp::RuntimeTools tools_;
  mcp::ToolSearch search_;
  mcp::WorkspaceResources resources_;
  mcp::SkillPrompts prompts_;
  mcp::SkillOffers skills_;
  AllResources all_resources_;
  AllPrompts all_prompts_;
  mcp::Server server_;
  const LogRelay relay_;  // to the clients; ends before the server
};

}  // namespace helve::cli
