#include "cli/mcp_house.h"

#include "cli/mcp_servers.h"

namespace helve::cli {
namespace {

constexpr std::string_view kInstructions =
    "Tools for working on one directory, the workspace; paths are relative to it. Find with find and grep, "
    "read with "
    "read, change with edit, multi_edit, write or apply_patch (undo takes changes back), run with exec. Long "
    "results "
    "are kept in a file whose path you get. Errors say what to do next.";

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
      server_({.version = std::string(version()), .instructions = std::string(kInstructions)},
              {.tools = &tools_, .resources = &resources_}) {
  gateway_->start();
}

}  // namespace helve::cli
