// helve mcp: serves the tools to one client over stdin and stdout, and manages other MCP servers.
#include <unistd.h>

#include "cli/command.h"
#include "cli/mcp_host.h"
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
      "claude mcp add helve -- helve mcp       adds it to Claude Code\n"
      "codex mcp add helve -- helve mcp        … to Codex\n"
      "gemini mcp add helve helve mcp          … to Gemini CLI\n"
      "\n"
      "helve mcp list                     configured servers and whether they answer\n"
      "helve mcp add NAME -- CMD ARGS…    add a program\n"
      "helve mcp add NAME URL             add an HTTP server\n"
      "helve mcp remove NAME…             remove servers\n"
      "helve mcp test NAME                start it, log in if needed, and list its tools\n"
      "helve mcp import FILE [NAME…]      add servers from .mcp.json, ~/.claude.json or .vscode/mcp.json";
  static constexpr auto kPositionals = McpServerOptions::kPositionals;

  using Options = McpOptions;

  int run(const app::Invocation& shell, const Options& options) const {
    if (options.servers.action != McpAction::kServe) return manage_mcp_servers(shell, options.servers);
    auto host = McpHost::build(shell, options.serving, McpHost::Clients::kOne);
    if (!host) return shell.report(host.error(), app::kSetup);
    // Without this note, a user who typed it would wait forever.
    if (::isatty(STDIN_FILENO) != 0 && !shell.options().quiet)
      shell.terminal().err(
          "Waiting for an MCP client on stdin; helve mcp --help says how to add it to one. Ctrl-D ends "
          "it.\n");
    mcp::serve_stdio((*host)->server(), std::make_shared<mcp::Client>(), {});
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_mcp_command() { return std::make_unique<TypedCommand<Mcp>>(); }

}  // namespace helve::cli
