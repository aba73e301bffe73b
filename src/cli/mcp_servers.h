// Manages other MCP servers: starts them for a runtime, and lists, adds, removes and tests them.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "base/path_watch.h"
#include "gateway/gateway.h"

namespace helve::cli {

enum class McpAction { kServe, kList, kAdd, kRemove, kTest, kImport };
constexpr auto enum_names(McpAction) {
  return std::to_array<std::string_view>({"serve", "list", "add", "remove", "test", "import"});
}

// The options of the `helve mcp` actions.
struct McpServerOptions {
  McpAction action = McpAction::kServe;
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> header;
  std::vector<std::string> env;
  std::string cwd;
  std::string bearer_token_variable;

  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "name", "command"});

  void describe(ParamSpec& p) {
    p.optional("action", action, "What to do.");
    p.optional("name", name, "The server; for import, the file.");
    p.optional("command", command, "Its program and arguments, or its URL.");
    p.optional("header", header, "An HTTP header as \"Name: value\"; may be repeated.");
    p.optional("env", env, "A variable as NAME=value; may be repeated.");
    p.optional("cwd", cwd, "Directory of the program instead of the workspace.");
    p.optional("bearerTokenVariable", bearer_token_variable, "Environment variable with the server's token.");
  }
};

// Runs all actions except serving.
[[nodiscard]] int manage_mcp_servers(const app::Invocation& shell, const McpServerOptions& options);

// The gateway to the servers that settings and workspace name, or only to the one that has the tool; not
// started. Warnings go to the user.
[[nodiscard]] std::unique_ptr<gateway::Gateway> make_gateway(
    const app::Invocation& shell, Runtime& runtime, gateway::Offers offers,
    std::function<void(const std::string& server, const std::string& url)> open_url = {},
    const std::string& for_tool = {});

// Lets the gateway follow changes of the configuration, such as by `helve mcp add` and `helve mcp remove`.
// The gateway must outlive the watch.
[[nodiscard]] std::unique_ptr<PathWatch> watch_servers(const app::Invocation& shell,
                                                       gateway::Gateway& gateway);

// Adds the tools of the configured servers to a registry that is only shown: those that were saved, and with
// kMayStart those of servers that were never asked. With `only`, just the server of that tool starts.
// Destroying the gateway removes the tools.
enum class ServerStart { kNever, kMayStart };
[[nodiscard]] std::unique_ptr<gateway::Gateway> show_server_tools(const app::Invocation& shell,
                                                                  Registry& registry, ServerStart start,
                                                                  const std::string& only = {});

// Starts the MCP server that has the tool; null for other tools.
[[nodiscard]] std::unique_ptr<gateway::Gateway> gateway_for_tool(const app::Invocation& shell,
                                                                 Runtime& runtime, const std::string& tool,
                                                                 const std::stop_token& stop);

}  // namespace helve::cli
