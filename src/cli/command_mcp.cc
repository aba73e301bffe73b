// helve mcp: serves the tools to one client over stdin and stdout.
#include "cli/command.h"
#include "cli/mcp_house.h"
#include "mcp/stdio.h"

namespace helve::cli {
namespace {

struct Mcp {
  static constexpr std::string_view kName = "mcp";
  static constexpr std::string_view kSummary = "Serve the tools over MCP on stdin and stdout";
  static constexpr std::string_view kDetails =
      "claude mcp add helve -- helve mcp       the line that adds it to Claude Code\n"
      "codex mcp add helve -- helve mcp        … to Codex\n"
      "gemini mcp add helve helve mcp          … to Gemini CLI";

  using Options = ServingOptions;

  int run(const Shell& shell, const Options& options) const {
    auto house = McpHouse::build(shell, options);
    if (!house) return shell.report(house.error(), kSetup);
    mcp::serve_stdio((*house)->server(), std::make_shared<mcp::Client>(), {});
    return kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_mcp_command() { return std::make_unique<TypedCommand<Mcp>>(); }

}  // namespace helve::cli
