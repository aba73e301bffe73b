#include "app/invocation.h"

#include <filesystem>

#include "app/kept_rules.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "helve/runtime.h"
#include "plugins/plugin_host.h"
#include "settings/directories.h"
#include "settings/trusted_programs.h"

namespace helve::app {

namespace {

// The configuration of the nearest parent directory, if the workspace has none.
std::string project_above(const std::string& project_file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path name = fs::path(".helve") / "config.toml";
  fs::path folder = fs::path(project_file).parent_path().parent_path();
  if (fs::exists(folder / name, ignored)) return {};
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
  }
  return {};
}

RuntimeOptions options_from(const settings::Config& config, const std::string& workspace) {
  RuntimeOptions options{.settings = *config.settings, .project_trusted = config.project_trusted};
  if (!config.reviewed) return options;
  options.trusted_programs = settings::trusted_program_paths(workspace, *config.reviewed);
  options.reviewed_files = settings::reviewed_files(*config.reviewed);
  return options;
}

}  // namespace

Expected<std::string> Invocation::workspace() const {
  auto path = real_path(options_.workspace);
  if (path) return path;
  return fail(path.error().code, path.error().message, "Name an existing directory with --workspace.");
}

Expected<settings::ConfigSources> Invocation::config_sources(Defaults command_defaults) const {
  settings::ConfigSources sources;
  const auto workspace = this->workspace();
  if (!workspace) return fail(workspace.error());
  if (!options_.config.empty()) {
    sources.user_file = options_.config;
    sources.user_file_required = true;
  } else if (const auto directory = settings::default_config_directory()) {
    sources.user_file = concat(*directory, "/config.toml");
    sources.rules_file = concat(*directory, "/rules.toml");
    sources.workspace_rules_file = kept_rules_path(*directory, *workspace);
  }
  sources.project_file = concat(*workspace, "/.helve/config.toml");
  if (const auto state = settings::default_state_directory())
    sources.project = settings::project_trust(*state, *workspace);
  sources.command_defaults = std::move(command_defaults);
  sources.environment = settings::helve_environment();
  for (const std::string& assignment : options_.set) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::kInvalidArgument,
                  concat("--set must be key=value, but is \"", assignment, "\"."),
                  "Example: --set results.limit=10000");
    sources.assignments.emplace_back(trim(assignment.substr(0, equals)), assignment.substr(equals + 1));
  }
  if (options_.mode) sources.assignments.emplace_back("mode", name_of(*options_.mode));
  if (options_.verbose) sources.assignments.emplace_back("log.level", "debug");
  if (options_.quiet) sources.assignments.emplace_back("log.level", "error");
  return sources;
}

bool Invocation::prints_for_people() const {
  return !options_.json && (options_.plain || terminal_.out_is_terminal());
}

Expected<settings::Config> Invocation::config(Defaults command_defaults) const {
  const auto sources = config_sources(std::move(command_defaults));
  if (!sources) return fail(sources.error());
  auto config = settings::load_config(*sources);
  if (config)
    if (const std::string above = project_above(sources->project_file); !above.empty())
      config->warnings.push_back(concat(above, " belongs to a parent directory and is not used here; ",
                                        "use --workspace to work in that directory"));
  if (config && !options_.quiet)
    for (const std::string& warning : config->warnings)
      terminal_.err(concat(terminal_.paint_err(terminal::Colour::kYellow, "warning: "), warning, "\n"));
  return config;
}

Expected<std::unique_ptr<Runtime>> Invocation::runtime(Mode default_mode, std::shared_ptr<Approver> approver,
                                                       const std::string& for_tool) const {
  Defaults defaults{{"mode", std::string(name_of(default_mode))}};
  // Users have a pager; offloading is for models and scripts.
  if (prints_for_people()) defaults.emplace_back("results.offload", "false");
  auto config = this->config(std::move(defaults));
  if (!config) return fail(config.error());
  const auto workspace = this->workspace();
  if (!workspace) return fail(workspace.error());
  // All shell calls in one workspace share a session, so that undo and long results work across them.
  RuntimeOptions options = options_from(*config, *workspace);
  options.session_id = concat("shell-", sha256_hex(*workspace).substr(0, 16));
  options.approver = std::move(approver);
  return build(std::move(options), Plugins::kOnce, for_tool);
}

Expected<std::unique_ptr<Runtime>> Invocation::runtime_for_clients(
    const std::vector<std::string>& tools) const {
  auto config = this->config({{"mode", std::string(name_of(Mode::kAsk))}});
  if (!config) return fail(config.error());
  const auto workspace = this->workspace();
  if (!workspace) return fail(workspace.error());
  RuntimeOptions options = options_from(*config, *workspace);
  if (!tools.empty()) options.settings.tools.enabled = tools;
  return build(std::move(options), Plugins::kWatched);
}

Invocation Invocation::in_workspace(std::string workspace) const {
  GlobalOptions options = options_;
  options.workspace = std::move(workspace);
  return {terminal_, std::move(options)};
}

Expected<std::unique_ptr<Runtime>> Invocation::build(RuntimeOptions options, Plugins plugins,
                                                     const std::string& for_tool) const {
  options.workspace = options_.workspace;
  options.launcher = "/proc/self/exe";
  // Resolved now: the link may change later.
  const auto here = workspace();
  if (!here) return fail(here.error());
  options.keep_rules = [workspace = *here](const std::vector<std::string>& rules) -> Expected<void> {
    const auto directory = settings::default_config_directory();
    if (!directory) return fail(directory.error());
    return keep_rules(*directory, workspace, rules);
  };
  const bool with_tools = options.built_in_tools;
  const std::vector<std::string> trusted_programs = options.trusted_programs;
  auto runtime = Runtime::create(std::move(options));
  if (runtime && with_tools) add_plugins(**runtime, plugins, for_tool, trusted_programs);
  return runtime;
}

void Invocation::add_plugins(Runtime& runtime, Plugins plugins, const std::string& for_tool,
                             const std::vector<std::string>& trusted_programs) const {
  auto folders = plugins::plugin_folders(options_.workspace);
  if (!folders) return;  // no home, no plugins
  plugins::PluginHost::Options options{.folders = *std::move(folders),
                                       .settings = settings::copy_of(runtime.settings()),
                                       .places = {.workspace = runtime.workspace(),
                                                  .state_directory = runtime.state_directory(),
                                                  .trusted_programs = trusted_programs},
                                       .only_tool = for_tool};
  // The terminal outlives every runtime.
  const auto report = [&terminal = terminal_,
                       quiet = options_.quiet](const std::vector<plugins::PluginProblem>& problems) {
    if (quiet) return;
    for (const plugins::PluginProblem& problem : problems)
      terminal.err(concat(terminal.paint_err(terminal::Colour::kYellow, "warning: "),
                          "a plugin is left out: ", terminal::printable(problem.error.message), "\n"));
  };
  if (plugins == Plugins::kWatched)
    return runtime.keep(std::make_shared<plugins::PluginWatch>(runtime.tools(), std::move(options), report));
  const auto host = std::make_shared<plugins::PluginHost>(runtime.tools(), std::move(options));
  report(host->refresh());
  runtime.keep(host);
}

int Invocation::report(const Error& error, ExitCode code) const {
  if (options_.json) print_json(JsonObject{{"ok", false}, {"error", error.to_json()}});
  terminal_.err(concat(terminal_.paint_err(terminal::Colour::kRed, "error: "),
                       terminal::printable(error.message), "\n"));
  if (!error.hint.empty())
    terminal_.err(concat(terminal_.paint_err(terminal::Colour::kCyan, "hint: "),
                         terminal::printable(error.hint), "\n"));
  return code;
}

void Invocation::print_json(const Json& value) const {
  terminal_.out_json(terminal_.out_is_terminal() ? to_pretty_text(value) : to_text(value));
}

}  // namespace helve::app
