#include "plugins/served_plugin.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/service_sandbox.h"
#include "gateway/remote_tool.h"
#include "helve/settings/log.h"
#include "helve/settings/permissions.h"
#include "helve/settings/plugins.h"
#include "helve/settings/sandbox.h"
#include "settings/trusted_programs.h"

namespace helve::plugins {
namespace {

bool is_sandboxed(const Plugin& plugin, const settings::Groups& settings) {
  return settings.sandbox.level != SandboxLevel::kOff &&
         std::ranges::none_of(settings.plugins.unsandboxed, [&](const std::string& name) {
           return name == "*" || name == plugin.manifest.name;
         });
}

bool has_tool_with(const Plugin& plugin, std::initializer_list<Effect> effects) {
  return std::ranges::any_of(plugin.manifest.tools, [&](const PluginTool& tool) {
    return std::ranges::find(effects, tool.effect) != effects.end();
  });
}

// ./x is relative to the plugin's directory.
std::string own_file(const std::string& word, const Plugin& plugin) {
  return word.starts_with("./") ? concat(plugin.directory, word.substr(1)) : word;
}

gateway::GatewayOptions gateway_options(const Plugin& plugin, const settings::Groups& settings,
                                        const PluginPlaces& places) {
  return {.servers = {server_of(plugin, settings, places)},
          .workspace = places.workspace,
          .state_directory = places.state_directory,
          .launcher = places.launcher};
}

}  // namespace

gateway::ServerConfig server_of(const Plugin& plugin, const settings::Groups& settings,
                                const PluginPlaces& places) {
  const Manifest& manifest = plugin.manifest;
  const bool sandboxed = is_sandboxed(plugin, settings);
  const bool writes = has_tool_with(plugin, {Effect::kWrite, Effect::kExecute});
  std::vector<std::string> trusted = settings::trusted_program_paths(places.workspace, settings);
  trusted.insert(trusted.end(), places.trusted_programs.begin(), places.trusted_programs.end());
  gateway::ServerConfig config{.name = manifest.name, .origin = plugin.file};
  gateway::PluginServer server{.is_library = manifest.kind == PluginKind::kLibrary, .stamp = plugin.stamp};
  if (sandboxed)
    server.make_sandbox = [sandbox = settings.sandbox, permissions = settings.permissions,
                           wish = core::ProcessWish{.workspace = places.workspace,
                                                    .state_directory = places.state_directory,
                                                    .home = plugin.directory,
                                                    .trusted_programs = std::move(trusted),
                                                    .writes = writes,
                                                    .network = has_tool_with(plugin, {Effect::kNetwork})}] {
      return core::plan_process(sandbox, permissions, wish);
    };
  config.settings.tools.clear();
  for (const PluginTool& tool : manifest.tools) {
    config.settings.tools.push_back(tool.name);
    const bool enforced = (sandboxed && !writes) || tool.effect == Effect::kNetwork;
    server.effects[tool.name] = enforced ? tool.effect : Effect::kExecute;
  }
  if (server.is_library) {
    config.settings.command = "/proc/self/exe";  // resolved in the launcher, which is Helve
    config.settings.args = {"plugin-process", concat(plugin.directory, "/", manifest.library)};
  } else {
    config.settings.command = own_file(manifest.command.front(), plugin);
    for (std::size_t i = 1; i < manifest.command.size(); ++i)
      config.settings.args.push_back(own_file(manifest.command[i], plugin));
    config.settings.env = manifest.env;
  }
  config.settings.start_ms = settings.plugins.start_ms;
  config.settings.time_limit_ms = settings.plugins.time_limit_ms;
  config.plugin = std::move(server);
  return config;
}

ServedPlugin::ServedPlugin(const Plugin& plugin, const settings::Groups& settings, const PluginPlaces& places,
                           Registry& registry)
    : registry_(registry),
      name_(plugin.manifest.name),
      file_(plugin.file),
      start_time_(settings.plugins.start_ms),
      // Errors are reported as problems of the plugin instead.
      gateway_(gateway_options(plugin, settings, places), registry, LogLevel::kError, settings.log.format) {
  for (const PluginTool& tool : plugin.manifest.tools) names_.push_back(tool.name);
  if (plugin.manifest.kind == PluginKind::kMcp)
    names_ = gateway::tool_names(gateway::server_labels({name_}).front(), names_);
}

std::vector<std::string> ServedPlugin::missing() const {
  const std::vector<std::string> offered = gateway_.offered();
  std::vector<std::string> names = names_;
  std::erase_if(names,
                [&](const std::string& name) { return std::ranges::find(offered, name) != offered.end(); });
  return names;
}

Expected<std::vector<std::string>> ServedPlugin::settle() {
  if (missing().empty()) return names_;
  // Longer than the server's own limit, so that the server reports the timeout.
  constexpr auto kMore = std::chrono::seconds(5);
  gateway_.start_all({.deadline = gateway::Clock::now() + start_time_ + kMore});
  if (const auto still = missing(); !still.empty()) return fail(why_missing(still));
  return names_;
}

Error ServedPlugin::why_missing(const std::vector<std::string>& missing) const {
  if (const auto& problems = gateway_.problems(); !problems.empty()) return problems.front().error;
  const gateway::ServerStatus status = gateway_.status().front();
  Error error{ErrorCode::kUnavailable};
  if (status.state != gateway::ServerStatus::State::kReady) {
    const std::size_t reported = status.stderr_tail.rfind(kPluginErrorPrefix);
    if (reported != std::string::npos) {
      std::string_view words =
          std::string_view(status.stderr_tail).substr(reported + kPluginErrorPrefix.size());
      error.message = concat(file_, ": ", words.substr(0, words.find('\n')));
      return error;
    }
    error.message = concat(
        file_, ": cannot start: ", status.problem.empty() ? "it did not answer in time." : status.problem);
    constexpr std::size_t kShown = 600;
    const std::string_view tail = trim(utf8_suffix(status.stderr_tail, kShown));
    if (!tail.empty()) error.hint = concat("Its stderr: ", to_valid_utf8(tail));
    return error;
  }
  for (const std::string& name : missing)
    if (const auto other = registry_.find(name); other)
      return {ErrorCode::kConflict, concat(file_, ": There is already a tool with the name ", name, "."),
              "Rename the tool in the plugin."};
  error.message =
      concat(file_, ": the manifest names ", enumerate(missing), ", which the plugin does not provide.");
  if (!status.refused_tools.empty()) error.hint = status.refused_tools.front();
  if (error.hint.empty())
    error.hint = status.other_tools.empty() ? "Use the plugin's tool names, or remove disabled tools."
                                            : concat("It provides ", enumerate(status.other_tools),
                                                     "; use these names in the manifest.");
  return error;
}

}  // namespace helve::plugins
