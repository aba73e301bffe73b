#include "cli/mcp_house.h"

#include "cli/mcp_servers.h"
#include "core/directories.h"

namespace helve::cli {
namespace {

constexpr std::string_view kInstructions =
    "Tools for working on one directory, the workspace; paths are relative to it. Find with find and grep, "
    "read "
    "with read, change with edit, multi_edit, write or apply_patch (undo takes changes back), run with exec. "
    "Long results are kept in a file whose path you get. Errors say what to do next.";

mcp::SkillPrompts::Places skill_places(const Shell& shell, const std::string& workspace) {
  const auto sources = shell.config_sources();
  return {.workspace = workspace,
          .project_trusted = sources && sources->project_trusted,
          .config_directory = default_config_directory().value_or(""),
          .home = home_directory()};
}

}  // namespace

Expected<std::unique_ptr<McpHouse>> McpHouse::build(const Shell& shell, const ServingOptions& options) {
  auto runtime = shell.runtime_for_clients(options.tools);
  if (!runtime) return fail(runtime.error());
  return std::unique_ptr<McpHouse>(new McpHouse(shell, *std::move(runtime)));
}

McpHouse::McpHouse(const Shell& shell, std::shared_ptr<Runtime> runtime)
    : house_(std::move(runtime)),
      gateway_(make_gateway(shell, *house_.runtime(), {.questions = true, .sampling = true})),
      tools_(house_),
      resources_(house_),
      prompts_(skill_places(shell, house_.runtime()->workspace())),
      server_({.version = std::string(version()), .instructions = std::string(kInstructions)},
              {.tools = &tools_, .resources = &resources_, .prompts = &prompts_}) {
  gateway_->start();
}

}  // namespace helve::cli
