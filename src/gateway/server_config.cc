#include "gateway/server_config.h"

#include <algorithm>
#include <cstdlib>

#include "base/environment.h"
#include "base/find_program.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "gateway/server_sources.h"
#include "process/command_environment.h"

namespace helve::gateway {
namespace {

std::unexpected<Error> wrong(const ServerConfig& config, std::string_view key, std::string_view problem,
                             std::string hint = {}) {
  return fail(ErrorCode::kInvalidArgument,
              concat(config.origin, ": mcp_servers.", config.name, key.empty() ? "" : ".", key, " ", problem),
              std::move(hint));
}

std::string with_home(const std::string& path) {
  if (!path.starts_with("~/")) return path;
  return concat(environment_variable("HOME"), path.substr(1));
}

// The absolute path of the program. Relative paths are resolved in the server's directory.
std::string locate(const std::string& command, const std::string& directory) {
  std::string path = with_home(command);
  if (path.starts_with('/')) return path;
  if (path.find('/') != std::string::npos) return concat(directory, "/", path);
  return find_program(path).value_or("");
}

}  // namespace

bool ServerConfig::offers(std::string_view tool) const {
  bool offered = false;
  for (std::string_view rule : settings.tools) {
    const bool removes = rule.starts_with('-');
    if (removes) rule.remove_prefix(1);
    const bool matches = rule == "*" || rule == tool ||
                         (rule.ends_with('*') && tool.starts_with(rule.substr(0, rule.size() - 1)));
    if (matches) offered = !removes;
  }
  return offered;
}

std::string ServerConfig::subject() const { return concat(plugin ? "The plugin " : "The MCP server ", name); }

std::string ServerConfig::fingerprint() const {
  JsonArray facts{name, settings.command, settings.cwd, settings.url};
  if (plugin) facts.emplace_back(plugin->stamp);
  for (const std::string& argument : settings.args) facts.emplace_back(argument);
  for (const auto& [variable, value] : settings.env) facts.emplace_back(variable);
  return sha256_hex(to_text(facts)).substr(0, 16);
}

Expected<void> check(const ServerConfig& config) {
  const McpServerSettings& settings = config.settings;
  if (config.name.empty() || config.name.size() > 100)
    return wrong(config, "", "has a name that is empty or longer than 100 characters.");
  if (settings.command.empty() == settings.url.empty())
    return wrong(config, "",
                 settings.url.empty() ? "has neither a command nor a url." : "has a command and a url.",
                 "Set command for a local server, or url for a remote one.");
  if (!settings.url.empty() && !settings.url.starts_with("http://") && !settings.url.starts_with("https://"))
    return wrong(config, "url", "does not begin with http:// or https://.");
  return {};
}

Expected<std::string> expand_variables(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t start = text.find("${");
    const std::size_t end = start == std::string_view::npos ? start : text.find('}', start);
    if (end == std::string_view::npos) return out += text;
    const std::string_view inside = text.substr(start + 2, end - start - 2);
    const std::size_t colon = inside.find(":-");
    const std::string name(inside.substr(0, colon));
    out += text.substr(0, start);
    text.remove_prefix(end + 1);
    const char* value = std::getenv(name.c_str());  // distinguishes empty from unset
    if (value != nullptr && (value[0] != '\0' || colon == std::string_view::npos))
      out += value;
    else if (colon != std::string_view::npos)
      out += inside.substr(colon + 2);
    else
      return fail(ErrorCode::kInvalidArgument, concat("uses the variable ", name, ", which is not set."),
                  concat("Set ", name, ", or add a default: ${", name, ":-value}."));
  }
}

Expected<ServerConfig> expanded(ServerConfig config) {
  std::optional<Error> problem;
  const auto expand = [&](std::string& text, std::string_view key) {
    auto done = expand_variables(text);
    if (done)
      text = *std::move(done);
    else if (!problem)
      problem = wrong(config, key, done.error().message, done.error().hint).error();
  };
  McpServerSettings& settings = config.settings;
  expand(settings.command, "command");
  expand(settings.cwd, "cwd");
  expand(settings.url, "url");
  for (std::string& argument : settings.args) expand(argument, "args");
  for (auto& [name, value] : settings.env) expand(value, concat("env.", name));
  for (auto& [name, value] : settings.headers) expand(value, concat("headers.", name));
  if (problem) return fail(*std::move(problem));
  return config;
}

Expected<ProcessStart> process_start(const ServerConfig& config, const std::string& workspace,
                                     const std::string& launcher) {
  if (launcher.empty())
    return fail(ErrorCode::kUnavailable, "This program cannot start MCP servers: it has no launcher.",
                "Put helve into PATH.");
  const auto plain = expanded(config);
  if (!plain) return fail(plain.error());
  if (config.programs)
    if (auto same = config.programs->check(); !same) return fail(same.error());
  const McpServerSettings& settings = plain->settings;
  ProcessStart start{.launcher = launcher};
  start.launch.directory = with_home(settings.cwd);
  if (start.launch.directory.empty()) start.launch.directory = workspace;
  if (!start.launch.directory.starts_with('/'))
    start.launch.directory = concat(workspace, "/", start.launch.directory);
  const std::string program = locate(settings.command, start.launch.directory);
  if (program.empty())
    return fail(
        ErrorCode::kNotFound,
        concat("The MCP server ", config.name, " cannot be started: there is no program ", settings.command,
               " in PATH."),
        concat("Install it, or correct mcp_servers.", config.name, ".command in ", config.origin, "."));
  start.launch.argv.push_back(program);
  start.launch.argv.insert(start.launch.argv.end(), settings.args.begin(), settings.args.end());
  // As for commands: the server gets only the variables that are configured for it.
  process::EnvironmentOptions environment;
  const bool sandboxed = config.plugin && config.plugin->make_sandbox;
  if (!sandboxed) environment.temporary_directory.clear();
  for (const auto& [name, value] : settings.env) environment.extra.emplace_back(name, value);
  environment.extra.emplace_back(kInsideGateway, "1");
  start.launch.environment =
      process::make_command_environment(process::own_environment(), environment).variables;
  start.launch.plan.level = sandbox::Level::kOff;
  if (sandboxed) {
    auto plan = config.plugin->make_sandbox();
    if (!plan) return fail(plan.error());
    start.launch.plan = *std::move(plan);
  }
  return start;
}

}  // namespace helve::gateway
