#include "plugins/served_plugin.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/process_walls.h"
#include "gateway/tool_names.h"

namespace helve::plugins {
namespace {

bool is_walled(const Plugin& plugin, const Settings& settings) {
  return settings.sandbox.level != SandboxLevel::kOff &&
         std::ranges::none_of(settings.plugins.unwalled, [&](const std::string& name) {
           return name == "*" || name == plugin.manifest.name;
         });
}

bool has_tool_with(const Plugin& plugin, std::initializer_list<Effect> effects) {
  return std::ranges::any_of(plugin.manifest.tools, [&](const PluginTool& tool) {
    return std::ranges::find(effects, tool.effect) != effects.end();
  });
}

// ./x is a file of the plugin.
std::string own_file(const std::string& word, const Plugin& plugin) {
  return word.starts_with("./") ? concat(plugin.directory, word.substr(1)) : word;
}

gateway::GatewayOptions gateway_options(const Plugin& plugin, const Settings& settings,
                                        const PluginPlaces& places) {
  return {.servers = {server_of(plugin, settings, places)},
          .workspace = places.workspace,
          .state_directory = places.state_directory,
          .launcher = places.launcher};
}

}  // namespace

gateway::ServerConfig server_of(const Plugin& plugin, const Settings& settings, const PluginPlaces& places) {
  const Manifest& manifest = plugin.manifest;
  const bool walled = is_walled(plugin, settings);
  const bool writes = has_tool_with(plugin, {Effect::kWrite, Effect::kExecute});
  gateway::ServerConfig config{.name = manifest.name, .origin = plugin.file};
  gateway::PluginServer server{.is_library = manifest.kind == PluginKind::kLibrary, .stamp = plugin.stamp};
  if (walled)
    server.make_walls = [settings = settings.sandbox,
                         wish = ProcessWish{.workspace = places.workspace,
                                            .state_directory = places.state_directory,
                                            .home = plugin.directory,
                                            .writes = writes,
                                            .network = has_tool_with(plugin, {Effect::kNetwork})}] {
      return plan_process(settings, wish);
    };
  config.settings.tools.clear();
  for (const PluginTool& tool : manifest.tools) {
    config.settings.tools.push_back(tool.name);
    const bool held = (walled && !writes) || tool.effect == Effect::kNetwork;
    server.effects[tool.name] = held ? tool.effect : Effect::kExecute;
  }
  if (server.is_library) {
    config.settings.command = "/proc/self/exe";  // of the launcher, which becomes it
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

ServedPlugin::ServedPlugin(const Plugin& plugin, const Settings& settings, const PluginPlaces& places,
                           Registry& registry)
    : registry_(registry),
      name_(plugin.manifest.name),
      file_(plugin.file),
      patience_(settings.plugins.start_ms),
      // What goes wrong is told as a problem of the plugin.
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
  // A little more than it has itself, so that it is the one to say that it took too long.
  constexpr auto kMore = std::chrono::seconds(5);
  gateway_.start_all({.deadline = gateway::Clock::now() + patience_ + kMore});
  if (const auto still = missing(); !still.empty()) return fail(why_missing(still));
  return names_;
}

Error ServedPlugin::why_missing(const std::vector<std::string>& missing) const {
  for (const Error& problem : gateway_.problems()) return problem;
  const gateway::ServerStatus status = gateway_.status().front();
  Error error{ErrorCode::kUnavailable};
  if (status.state != gateway::ServerStatus::State::kReady) {
    const std::size_t said = status.last_words.rfind(kPluginSays);
    if (said != std::string::npos) {
      std::string_view words = std::string_view(status.last_words).substr(said + kPluginSays.size());
      error.message = concat(file_, ": ", words.substr(0, words.find('\n')));
      return error;
    }
    error.message = concat(file_, ": it could not be started: ",
                           status.problem.empty() ? "it did not answer in time." : status.problem);
    constexpr std::size_t kShown = 600;
    const std::string_view tail = trim(utf8_suffix(status.last_words, kShown));
    if (!tail.empty()) error.hint = concat("It said: ", to_valid_utf8(tail));
    return error;
  }
  for (const std::string& name : missing)
    if (const auto other = registry_.find(name); other)
      return {ErrorCode::kConflict, concat(file_, ": There is already a tool with the name ", name, "."),
              "Rename the tool in the plugin."};
  error.message = concat(file_, ": the manifest names ", enumerate(missing), ", which it does not offer.");
  if (!status.refused_tools.empty()) error.hint = status.refused_tools.front();
  if (error.hint.empty())
    error.hint = status.other_tools.empty()
                     ? "Name the tools as the plugin does, or leave out those that are disabled."
                     : concat("It also offers ", enumerate(status.other_tools),
                              "; name the tools in the manifest as the plugin does.");
  return error;
}

}  // namespace helve::plugins
