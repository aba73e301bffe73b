#include "cli/mcp_servers.h"

#include <algorithm>
#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/init/config_edit.h"
#include "gateway/remote_tool.h"
#include "gateway/server_sources.h"
#include "helve/settings/log.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

using gateway::ServerConfig;
using gateway::ServerStatus;

constexpr auto kShowTimeout = std::chrono::seconds(15);
constexpr auto kListTimeout = std::chrono::seconds(30);
constexpr auto kTestTimeout = std::chrono::minutes(6);  // the user may have to log in

int usage(const app::Invocation& shell, std::string message, std::string hint) {
  return shell.report({ErrorCode::kInvalidArgument, std::move(message), std::move(hint)}, app::kUsage);
}

Expected<gateway::FoundServers> all_servers(const app::Invocation& shell, const settings::Groups& settings) {
  const auto sources = shell.config_sources();
  if (!sources) return fail(sources.error());
  const auto workspace = real_path(shell.options().workspace);
  if (!workspace) return fail(workspace.error());
  return gateway::find_servers(settings, sources->user_file, *workspace, sources->project);
}

void print_login(const app::Invocation& shell, const std::string& server, const std::string& url) {
  const app::Printer& terminal = shell.terminal();
  terminal.err(concat(
      terminal.paint_err(terminal::Colour::kBold, concat("Log in at ", terminal::printable_line(server))),
      " by opening this address in a browser on this machine:\n  ", terminal::printable_line(url), "\n"));
}

std::string where(const ServerConfig& config) {
  if (config.is_http()) return config.settings.url;
  std::string line = config.settings.command;
  for (const std::string& argument : config.settings.args) line += concat(" ", argument);
  return line;
}

Json status_json(const ServerConfig& config, const ServerStatus* status) {
  Json json = JsonObject{{"name", config.name}, {"where", where(config)}, {"origin", config.origin}};
  if (status == nullptr) {
    json["state"] = "disabled";
    return json;
  }
  const bool ready = status->state == ServerStatus::State::kReady;
  json["state"] = ready ? "connected" : "failed";
  if (ready && status->facts) {
    json["revision"] = status->facts->revision;
    json["serverName"] = status->facts->name;
    json["serverVersion"] = status->facts->version;
    json["toolCount"] = status->tools.size();
  }
  if (!ready) json["problem"] = status->problem.empty() ? "it does not answer" : status->problem;
  return json;
}

const ServerStatus* find_status(const std::vector<ServerStatus>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ServerStatus::name);
  return found == all.end() ? nullptr : &*found;
}

void print_status(const app::Invocation& shell, const Json& status, std::size_t width) {
  const app::Printer& terminal = shell.terminal();
  const std::string& state = status.find("state")->as_string();
  const terminal::Colour colour = state == "connected" ? terminal::Colour::kGreen
                                  : state == "failed"  ? terminal::Colour::kRed
                                                       : terminal::Colour::kDim;
  const std::string& name = status.find("name")->as_string();
  std::string line = concat(terminal.paint(terminal::Colour::kBold, terminal::printable_line(name)),
                            std::string(width - name.size() + 2, ' '), terminal.paint(colour, state));
  if (const Json* count = status.find("toolCount"))
    line += concat(", ", count_of(static_cast<std::size_t>(count->as_integer()), "tool"));
  if (const Json* problem = status.find("problem"))
    line += concat(": ", terminal::printable_line(problem->as_string()));
  line += concat(
      "  ",
      terminal.paint(terminal::Colour::kDim, terminal::printable_line(status.find("where")->as_string())),
      "\n");
  terminal.out(line);
}

// Starts the chosen servers and reports their state.
class Trial {
 public:
  explicit Trial(const app::Invocation& shell) : shell_(shell) {}

  // An empty name means all.
  Expected<void> run(const std::string& name) {
    auto config = shell_.config();
    if (!config) return fail(config.error());
    auto found = all_servers(shell_, *config->settings);
    if (!found) return fail(found.error());
    for (const std::string& warning : found->warnings)
      shell_.terminal().err(concat(shell_.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
                                   terminal::printable_line(warning), "\n"));
    std::vector<std::string> names;
    for (ServerConfig& server : found->servers) {
      names.push_back(server.name);
      if (name.empty() || server.name == name) servers.push_back(std::move(server));
    }
    if (!name.empty() && servers.empty()) {
      const auto near = nearest(name, names);
      return fail(
          ErrorCode::kNotFound, concat("There is no server ", name, "."),
          near.empty() ? "List them with helve mcp list." : concat("Did you mean ", near.front(), "?"));
    }
    // Testing one server may ask for a login.
    if (!name.empty()) servers.front().settings.enabled = true;
    const auto workspace = real_path(shell_.options().workspace);
    const auto state = settings::default_state_directory();
    gateway::GatewayOptions options{.servers = servers,
                                    .workspace = workspace.value_or("/"),
                                    .state_directory = state.value_or(""),
                                    .launcher = "/proc/self/exe"};
    if (!name.empty())
      options.open_url = [this](const std::string& server, const std::string& url) {
        print_login(shell_, server, url);
      };
    Registry registry;
    gateway::Gateway gateway(std::move(options), registry, LogLevel::kError);
    gateway.start_all(
        {.deadline = gateway::Clock::now() + (name.empty() ? std::chrono::milliseconds(kListTimeout)
                                                           : std::chrono::milliseconds(kTestTimeout))});
    statuses = gateway.status();
    for (const gateway::Gateway::Problem& problem : gateway.problems())
      statuses.push_back(
          {.name = problem.server, .state = ServerStatus::State::kFailed, .problem = problem.error.message});
    return {};
  }

  std::vector<ServerConfig> servers;
  std::vector<ServerStatus> statuses;

 private:
  const app::Invocation& shell_;
};

int list(const app::Invocation& shell) {
  Trial trial(shell);
  if (auto tried = trial.run({}); !tried) return shell.report(tried.error(), app::kSetup);
  JsonArray all;
  std::size_t width = 0;
  for (const ServerConfig& config : trial.servers) {
    all.push_back(status_json(config, find_status(trial.statuses, config.name)));
    width = std::max(width, config.name.size());
  }
  if (shell.options().json) {
    shell.print_json(all);
    return app::kOk;
  }
  for (const Json& status : all) print_status(shell, status, width);
  if (all.empty()) shell.terminal().out("There are no servers. Add one with helve mcp add.\n");
  return app::kOk;
}

int test(const app::Invocation& shell, const McpServerOptions& options) {
  if (options.name.empty()) return usage(shell, "Name a server.", "Example: helve mcp test github");
  Trial trial(shell);
  if (auto tried = trial.run(options.name); !tried) return shell.report(tried.error(), app::kSetup);
  const ServerConfig& config = trial.servers.front();
  const ServerStatus* status = find_status(trial.statuses, config.name);
  Json json = status_json(config, status);
  const bool ready = status != nullptr && status->state == ServerStatus::State::kReady;
  if (ready) {
    JsonArray tools;
    for (const gateway::RemoteTool& tool : status->tools)
      tools.push_back(JsonObject{{"name", tool.name}, {"description", tool.description}});
    json["tools"] = std::move(tools);
    if (status->facts) json["capabilities"] = status->facts->capabilities;
  } else if (status != nullptr && !status->stderr_tail.empty()) {
    json["stderr"] = status->stderr_tail;
  }
  if (shell.options().json) {
    shell.print_json(json);
    return ready ? app::kOk : app::kToolError;
  }
  print_status(shell, json, config.name.size());
  const app::Printer& terminal = shell.terminal();
  if (const Json* errors = json.find("stderr"))
    terminal.out(concat("It said:\n", terminal::printable(errors->as_string())));
  if (!ready) return app::kToolError;
  terminal.out(concat(terminal::printable_line(status->facts->name), " ",
                      terminal::printable_line(status->facts->version), ", MCP ", status->facts->revision,
                      "\n"));
  for (const gateway::RemoteTool& tool : status->tools) {
    const std::string description = tool.description.substr(0, tool.description.find('\n'));
    terminal.out(concat("  ", terminal.paint(terminal::Colour::kBold, terminal::printable_line(tool.name)),
                        "  ", terminal::printable_line(description), "\n"));
  }
  for (const std::string& problem : status->refused_tools)
    terminal.out(
        concat("  ", terminal.paint(terminal::Colour::kYellow, terminal::printable_line(problem)), "\n"));
  return app::kOk;
}

// Applies `change` to the user's file, all or nothing.
template <class Change>
Expected<std::string> change_file(const app::Invocation& shell, const Change& change) {
  const auto sources = shell.config_sources();
  if (!sources) return fail(sources.error());
  if (sources->user_file.empty())
    return fail(ErrorCode::kUnavailable, "There is no configuration file to change.",
                "Name one with --config.");
  // Write through symlinks.
  std::string path = real_path(sources->user_file).value_or(sources->user_file);
  const std::string directory = std::filesystem::absolute(path).parent_path().string();
  if (auto made = make_private_directories(directory); !made) return fail(made.error());
  const auto lock = lock_directory(directory);
  if (!lock) return fail(lock.error());
  const auto text = read_file(path);
  if (!text && text.error().code != ErrorCode::kNotFound) return fail(text.error());
  Expected<std::string> changed = change(text.value_or(""), path);
  if (!changed) return fail(changed.error());
  if (auto written = replace_private_file(path, *changed); !written) return fail(written.error());
  return path;
}

Expected<ServerConfig> described(const McpServerOptions& options) {
  ServerConfig server{.name = options.name, .origin = "helve mcp add"};
  McpServerSettings& settings = server.settings;
  const bool is_url = options.command.size() == 1 && options.command.front().find("://") != std::string::npos;
  if (is_url) settings.url = options.command.front();
  if (!is_url && !options.command.empty()) {
    settings.command = options.command.front();
    settings.args.assign(options.command.begin() + 1, options.command.end());
  }
  settings.cwd = options.cwd;
  settings.bearer_token_variable = options.bearer_token_variable;
  for (const std::string& header : options.header) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0)
      return fail(ErrorCode::kInvalidArgument,
                  concat("--header needs \"Name: value\", but is \"", header, "\"."));
    settings.headers[std::string(trim(header.substr(0, colon)))] = trim(header.substr(colon + 1));
  }
  for (const std::string& variable : options.env) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(ErrorCode::kInvalidArgument, concat("--env needs NAME=value, but is \"", variable, "\"."));
    settings.env[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  if (auto checked = check(server); !checked) return fail(checked.error());
  return server;
}

int add(const app::Invocation& shell, const McpServerOptions& options) {
  if (options.name.empty() || options.command.empty())
    return usage(shell, "A server needs a name and a program or URL.",
                 "helve mcp add NAME -- CMD ARGS…, or helve mcp add NAME URL.");
  const auto server = described(options);
  if (!server) return shell.report(server.error(), app::kUsage);
  const auto file = change_file(shell, [&](const std::string& text, const std::string& path) {
    return with_server(text, path, *server);
  });
  if (!file) return shell.report(file.error(), app::kSetup);
  if (!shell.options().quiet)
    shell.terminal().out(concat("Added ", terminal::printable_line(server->name), " to ", *file,
                                ". helve mcp test ", terminal::printable_line(server->name),
                                " shows what it offers.\n"));
  return app::kOk;
}

int remove(const app::Invocation& shell, const McpServerOptions& options) {
  if (options.name.empty()) return usage(shell, "Name a server.", "Example: helve mcp remove github");
  std::vector<std::string> names{options.name};
  names.insert(names.end(), options.command.begin(), options.command.end());
  const auto file =
      change_file(shell, [&](std::string config, const std::string& path) -> Expected<std::string> {
        for (const std::string& name : names) {
          auto shorter = without_server(config, path, name);
          if (!shorter) return shorter;
          config = *std::move(shorter);
        }
        return config;
      });
  if (!file) return shell.report(file.error(), app::kSetup);
  if (!shell.options().quiet)
    shell.terminal().out(
        concat("Removed ", terminal::printable_line(enumerate(names)), " from ", *file, ".\n"));
  return app::kOk;
}

int import(const app::Invocation& shell, const McpServerOptions& options) {
  if (options.name.empty()) return usage(shell, "Name a file.", "Example: helve mcp import ~/.claude.json");
  const auto text = read_file(options.name);
  if (!text) return shell.report(text.error(), app::kSetup);
  const auto workspace = real_path(shell.options().workspace);
  if (!workspace) return shell.report(workspace.error(), app::kSetup);
  auto found = gateway::read_servers(*text, options.name, *workspace);
  if (!found) return shell.report(found.error(), app::kSetup);
  for (const std::string& warning : found->warnings)
    shell.terminal().err(concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
                                terminal::printable_line(warning), "\n"));
  std::vector<std::string> added;
  const auto file =
      change_file(shell, [&](std::string config, const std::string& path) -> Expected<std::string> {
        for (const ServerConfig& server : found->servers) {
          const bool wanted = options.command.empty() ||
                              std::ranges::find(options.command, server.name) != options.command.end();
          if (!wanted) continue;
          auto longer = with_server(config, path, server);
          if (!longer) return longer;
          config = *std::move(longer);
          added.push_back(server.name);
        }
        return config;
      });
  if (!file) return shell.report(file.error(), app::kSetup);
  shell.terminal().out(
      added.empty() ? concat("There is nothing to add in ", options.name, ".\n")
                    : concat("Added ", terminal::printable_line(enumerate(added)), " to ", *file, ".\n"));
  return app::kOk;
}

}  // namespace

int manage_mcp_servers(const app::Invocation& shell, const McpServerOptions& options) {
  const bool takes_one = options.action == McpAction::kTest;
  if (options.action == McpAction::kList || takes_one) {
    std::vector<std::string> more = options.command;
    if (!takes_one && !options.name.empty()) more.insert(more.begin(), options.name);
    if (!more.empty())
      return usage(shell, concat("Unexpected argument ", terminal::printable_line(enumerate(more)), "."),
                   takes_one ? "helve mcp test takes one server." : "helve mcp list lists all servers.");
  }
  switch (options.action) {
    case McpAction::kServe: break;
    case McpAction::kList: return list(shell);
    case McpAction::kAdd: return add(shell, options);
    case McpAction::kRemove: return remove(shell, options);
    case McpAction::kTest: return test(shell, options);
    case McpAction::kImport: return import(shell, options);
  }
  return app::kUsage;
}

namespace {

// Keeps only the server that a tool's name refers to. False if there is none.
bool keep_server_of(const std::string& tool, std::vector<ServerConfig>& servers) {
  std::vector<std::string> names;
  for (const ServerConfig& server : servers)
    if (server.settings.enabled) names.push_back(server.name);
  const std::vector<std::string> labels = gateway::server_labels(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (tool.starts_with(concat("mcp__", labels[i], "__"))) {
      std::erase_if(servers, [&](const ServerConfig& server) { return server.name != names[i]; });
      return true;
    }
  return false;
}

}  // namespace

std::unique_ptr<gateway::Gateway> make_gateway(
    const app::Invocation& shell, Runtime& runtime, gateway::Offers offers,
    std::function<void(const std::string& server, const std::string& url)> open_url,
    const std::string& for_tool) {
  gateway::GatewayOptions options{.workspace = runtime.workspace(),
                                  .state_directory = runtime.state_directory(),
                                  .launcher = "/proc/self/exe",
                                  .offers = offers,
                                  .open_url = std::move(open_url)};
  if (auto found = all_servers(shell, runtime.settings())) {
    options.servers = std::move(found->servers);
    if (!for_tool.empty()) static_cast<void>(keep_server_of(for_tool, options.servers));
    if (!shell.options().quiet)
      for (const std::string& warning : found->warnings)
        shell.terminal().err(concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
                                    terminal::printable_line(warning), "\n"));
  }
  const LogSettings& log = settings::Groups(runtime.settings()).log;
  return std::make_unique<gateway::Gateway>(std::move(options), runtime.tools(), log.level, log.format);
}

std::unique_ptr<gateway::Gateway> show_server_tools(const app::Invocation& shell, Registry& registry,
                                                    ServerStart start, const std::string& only) {
  const auto workspace = shell.workspace();
  app::GlobalOptions options = shell.options();
  options.quiet = true;  // whoever made the registry has warned about the settings
  const auto config = app::Invocation(shell.terminal(), std::move(options)).config();
  auto found = workspace && config ? all_servers(shell, *config->settings) : gateway::FoundServers();
  if (!found || found->servers.empty()) return {};
  // A name that belongs to no server starts none; the saved tools can be suggested.
  if (!only.empty() && !keep_server_of(only, found->servers)) start = ServerStart::kNever;
  auto gateway = std::make_unique<gateway::Gateway>(
      gateway::GatewayOptions{.servers = std::move(found->servers),
                              .workspace = *workspace,
                              .state_directory = settings::default_state_directory().value_or(""),
                              .launcher = "/proc/self/exe"},
      registry, LogLevel::kError);
  gateway->offer_saved(start == ServerStart::kNever
                           ? std::nullopt
                           : std::optional(gateway::Terms{.deadline = gateway::Clock::now() + kShowTimeout}));
  if (start == ServerStart::kMayStart && !shell.options().quiet)
    for (const ServerStatus& status : gateway->status())
      if (status.state == ServerStatus::State::kFailed || status.state == ServerStatus::State::kStarting)
        shell.terminal().err(concat(
            shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
            "the tools of the MCP server ", terminal::printable_line(status.name), " are missing: ",
            status.problem.empty() ? "it does not answer" : terminal::printable_line(status.problem), "\n"));
  return gateway;
}

std::unique_ptr<PathWatch> watch_servers(const app::Invocation& shell, gateway::Gateway& gateway) {
  std::vector<std::string> files;
  const auto sources = shell.config_sources();
  const auto workspace = shell.workspace();
  if (sources && !sources->user_file.empty()) {
    std::error_code ignored;
    files.push_back(std::filesystem::absolute(sources->user_file, ignored).string());
    // The file may be a symlink, through which it is written.
    if (const auto real = real_path(sources->user_file); real && *real != files.front())
      files.push_back(*real);
  }
  if (sources) files.push_back(sources->project_file);
  if (workspace)
    for (const std::string_view name : {"/.mcp.json", "/.vscode/mcp.json"})
      files.push_back(concat(*workspace, name));
  app::GlobalOptions options = shell.options();
  options.quiet = true;  // an unfinished file is no reason to complain
  return std::make_unique<PathWatch>(PathWatch::Parts{
      .paths = [files] { return files; },
      .on_change =
          [again = app::Invocation(shell.terminal(), std::move(options)), &gateway] {
            const auto config = again.config();
            auto found = config ? all_servers(again, *config->settings) : fail(config.error());
            if (found) gateway.set_servers(std::move(found->servers));
          }});
}

std::unique_ptr<gateway::Gateway> gateway_for_tool(const app::Invocation& shell, Runtime& runtime,
                                                   const std::string& tool, const std::stop_token& stop) {
  if (!tool.starts_with("mcp__") || runtime.tools().find(tool)) return {};  // a plugin may have it
  auto gateway = make_gateway(
      shell, runtime, {},
      [&shell](const std::string& server, const std::string& url) { print_login(shell, server, url); }, tool);
  gateway->start();
  if (!runtime.tools().find(tool))
    gateway->start_all({.stop = stop, .deadline = gateway::Clock::now() + kListTimeout});
  return gateway;
}

}  // namespace helve::cli
