// Other MCP servers as the `helve` program uses them: started for a runtime, listed, added, removed, tested.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/shell.h"
#include "gateway/gateway.h"

namespace helve::cli {

enum class McpAction { kServe, kList, kAdd, kRemove, kTest, kImport };
constexpr auto enum_names(McpAction) {
  return std::to_array<std::string_view>({"serve", "list", "add", "remove", "test", "import"});
}

// What `helve mcp` takes besides what it needs to serve.
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
    p.optional("cwd", cwd, "Where the program runs, if not in the workspace.");
    p.optional("bearerTokenVariable", bearer_token_variable,
               "Environment variable with the token that the server wants.");
  }
};

// Everything but serving.
[[nodiscard]] int manage_mcp_servers(const Shell& shell, const McpServerOptions& options);

// The gateway to the servers that settings and workspace name, or only to the one that has the tool; not
// started. Warnings go to the person.
[[nodiscard]] std::unique_ptr<gateway::Gateway> make_gateway(
    const Shell& shell, Runtime& runtime, gateway::Offers offers,
    std::function<void(const std::string& server, const std::string& url)> open_url = {},
    const std::string& for_tool = {});

// Brings up what a call of the tool needs, when it is one of another server's; null otherwise.
[[nodiscard]] std::unique_ptr<gateway::Gateway> gateway_for_tool(const Shell& shell, Runtime& runtime,
                                                                 const std::string& tool,
                                                                 const std::stop_token& stop);

}  // namespace helve::cli
