// helve mcp: serves the tools to one client over stdin and stdout; and manages the other servers that there
// are.
#include <unistd.h>

#include "cli/command.h"
#include "cli/mcp_house.h"
#include "cli/mcp_servers.h"
#include "mcp/stdio.h"

namespace helve::cli {
namespace {

struct McpOptions {
  ServingOptions serving;
  McpServerOptions servers;

  void describe(ParamSpec& p) {
    servers.describe(p);
    serving.describe(p);
  }
};

struct Mcp {
  static constexpr std::string_view kName = "mcp";
  static constexpr std::string_view kSummary =
      "Serve the tools over MCP on stdin and stdout; manage other MCP servers";
  static constexpr std::string_view kDetails =
      "claude mcp add helve -- helve mcp       the line that adds it to Claude Code\n"
      "codex mcp add helve -- helve mcp        … to Codex\n"
      "gemini mcp add helve helve mcp          … to Gemini CLI\n"
      "\n"
      "helve mcp list                     the servers that are configured, and whether they answer\n"
      "helve mcp add NAME -- CMD ARGS…    add one that is a program\n"
      "helve mcp add NAME URL             add one that is reached over HTTP\n"
      "helve mcp remove NAME…             take it away again\n"
      "helve mcp test NAME                start it, log in if need be, and show what it offers\n"
      "helve mcp import FILE [NAME…]      add those of .mcp.json, ~/.claude.json or .vscode/mcp.json";
  static constexpr auto kPositionals = McpServerOptions::kPositionals;

  using Options = McpOptions;

  int run(const Shell& shell, const Options& options) const {
    if (options.servers.action != McpAction::kServe) return manage_mcp_servers(shell, options.servers);
    auto house = McpHouse::build(shell, options.serving, McpHouse::Clients::kOne);
    if (!house) return shell.report(house.error(), kSetup);
    // Somebody who typed it would wait for ever otherwise.
    if (::isatty(STDIN_FILENO) != 0 && !shell.options().quiet)
      shell.terminal().err(
          "Waiting for an MCP client on stdin; helve mcp --help says how to add it to one. Ctrl-D ends "
          "it.\n");
    mcp::serve_stdio((*house)->server(), std::make_shared<mcp::Client>(), {});
    return kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_mcp_command() { return std::make_unique<TypedCommand<Mcp>>(); }

}  // namespace helve::cli
