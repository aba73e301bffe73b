#include "cli/mcp_host.h"

#include <malloc.h>

#include "cli/mcp_servers.h"
#include "core/state_upkeep.h"
#include "helve/prompt.h"
#include "helve/settings/permissions.h"
#include "settings/directories.h"
#include "settings/groups.h"
#include "settings/trust.h"

namespace helve::cli {
namespace {

constexpr std::string_view kSearchInstructions =
    "Tools for working on one directory, the workspace; paths are relative to it. Only find_tools and "
    "use_tool "
    "are listed at first: say to find_tools what you want to do (read, edit, search, run, undo, …), and it "
    "shows the tools for that with their parameters. Errors say what to do next.";

std::string instructions(Runtime& runtime, const ServingOptions& options) {
  if (options.search_tools) return std::string(kSearchInstructions);
  return ToolPromptGenerator(runtime.tools(), settings::Groups(runtime.settings()).guide).instructions();
}

mcp::LogSeverity severity_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return mcp::LogSeverity::kError;
    case LogLevel::kWarning: return mcp::LogSeverity::kWarning;
    case LogLevel::kInfo: return mcp::LogSeverity::kInfo;
    case LogLevel::kDebug: return mcp::LogSeverity::kDebug;
  }
  return mcp::LogSeverity::kError;
}

Json log_data(std::string_view message, const JsonObject& fields) {
  Json data = JsonObject{{"message", message}};
  for (const auto& [key, value] : fields) data[key] = value;
  return data;
}

mcp::SkillPrompts::Places skill_places(const app::Invocation& shell, const std::string& workspace) {
  const auto sources = shell.in_workspace(workspace).config_sources();
  return {.workspace = workspace,
          .project_trusted = sources && sources->project.is_trusted(),
          .config_directory = settings::default_config_directory().value_or(""),
          .home = settings::home_directory(),
          .trust_file = settings::TrustedFolders(settings::default_state_directory().value_or("")).path()};
}

// The runtime for a workspace, with the tools of its configured MCP servers.
Expected<std::shared_ptr<Runtime>> runtime_with_gateway(const app::Invocation& shell,
                                                        const std::vector<std::string>& tools,
                                                        CurrentGateway& current) {
  struct Place {
    std::unique_ptr<Runtime> runtime;
    std::shared_ptr<gateway::Gateway> gateway;  // destroyed before the registry it fills
    std::unique_ptr<PathWatch> watch;
  };
  auto runtime = shell.runtime_for_clients(tools);
  if (!runtime) return fail(runtime.error());
  auto place = std::make_shared<Place>(*std::move(runtime));
  place->gateway = make_gateway(shell, *place->runtime, {.questions = true, .sampling = true});
  place->gateway->start();
  place->watch = watch_servers(shell, *place->gateway);
  current.set({place, place->gateway.get()});
  place->runtime->keep(
      core::keep_state_tidy(core::state_places(*place->runtime), place->runtime->settings()));
  return std::shared_ptr<Runtime>(place, place->runtime.get());
}

mcp::ClientSessions::Share share_approvals(McpHost::Clients clients) {
  const app::SharedApprovals shared(clients == McpHost::Clients::kOne ? "helve mcp" : "helve serve");
  return [shared](std::shared_ptr<Approver> client, Runtime& runtime) {
    return shared.around(std::move(client),
                         std::chrono::seconds(settings::Groups(runtime.settings()).permissions.wait_seconds));
  };
}

}  // namespace

Expected<std::unique_ptr<McpHost>> McpHost::build(const app::Invocation& shell, const ServingOptions& options,
                                                  Clients clients) {
  // Limit malloc arenas: many short-lived threads would each keep one.
  ::mallopt(M_ARENA_MAX, 2);
  auto current = std::make_shared<CurrentGateway>();
  auto runtime = runtime_with_gateway(shell, options.tools, *current);
  if (!runtime) return fail(runtime.error());
  mcp::ClientSessions::Move move;
  if (clients == Clients::kOne && !shell.options().workspace_is_named)
    move = [&shell, tools = options.tools, current](const std::string& workspace) {
      return runtime_with_gateway(shell.in_workspace(workspace), tools, *current);
    };
  return std::unique_ptr<McpHost>(new McpHost(shell, options,
                                              {.runtime = *std::move(runtime),
                                               .move = std::move(move),
                                               .share = share_approvals(clients),
                                               .gateway = std::move(current)}));
}

McpHost::McpHost(const app::Invocation& shell, const ServingOptions& options, Parts parts)
    : gateway_(std::move(parts.gateway)),
      sessions_(std::move(parts.runtime), std::move(parts.move), std::move(parts.share)),
      tools_(sessions_),
      search_(tools_),
      resources_(sessions_),
      prompts_([this, &shell] { return skill_places(shell, sessions_.runtime()->workspace()); }),
      skills_([this, &shell] { return skill_places(shell, sessions_.runtime()->workspace()); }),
      all_resources_(resources_, *gateway_),
      all_prompts_(prompts_, *gateway_),
      server_(
          {.version = std::string(version()), .instructions = instructions(*sessions_.runtime(), options)},
          {.tools = options.search_tools ? static_cast<mcp::Tools*>(&search_) : &tools_,
           .resources = &all_resources_,
           .prompts = &all_prompts_,
           .skills = &skills_}),
      relay_([this](LogLevel level, std::string_view message, const JsonObject& fields) {
        server_.log(severity_of(level), log_data(message, fields));
      }) {}

}  // namespace helve::cli
