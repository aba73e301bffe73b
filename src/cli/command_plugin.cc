// helve plugin: the plugins there are, and what is wrong with those that are left out.
#include <array>
#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/builtin_tools.h"
#include "plugins/command_tool.h"
#include "plugins/plugin_host.h"

namespace helve::cli {
namespace {

enum class PluginAction { kList, kCheck };
constexpr auto enum_names(PluginAction) { return std::to_array<std::string_view>({"list", "check"}); }

struct PluginCommand {
  static constexpr std::string_view kName = "plugin";
  static constexpr std::string_view kSummary = "List the plugins, or check one before it is used";
  static constexpr std::string_view kDetails =
      "helve plugin list         the plugins that are loaded, their tools, and those that are left out\n"
      "helve plugin check FILE…  reads a manifest, a folder with one, or all of them, and says what is "
      "wrong\n"
      "\n"
      "Plugins lie in ~/.local/share/helve/plugins, and in .helve/plugins of a workspace that is trusted\n"
      "(helve config trust): NAME.toml, or a folder NAME with plugin.toml in it.";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "files"});

  struct Options {
    PluginAction action = PluginAction::kList;
    std::vector<std::string> files;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("files", files, "check: manifests or folders; all plugins when there are none.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    const auto folders = plugins::plugin_folders(shell.options().workspace);
    if (!folders) return shell.report(folders.error(), kSetup);
    if (options.action == PluginAction::kList) return list(shell, *folders);
    return check(shell, options.files, *folders);
  }

 private:
  static JsonObject problem_json(const plugins::PluginProblem& problem) {
    return {{"file", problem.file}, {"error", problem.error.to_json()}};
  }

  static void print_problem(const Terminal& terminal, const plugins::PluginProblem& problem) {
    terminal.out(
        concat(terminal.paint(Colour::kRed, "problem"), "  ", printable_line(problem.error.message), "\n"));
    if (!problem.error.hint.empty())
      terminal.out(concat("         ", printable_line(problem.error.hint), "\n"));
  }

  static int list(const Shell& shell, const plugins::PluginFolders& folders) {
    const auto runtime = shell.runtime();
    if (!runtime) return shell.report(runtime.error(), kSetup);
    // What clashes with other tools shows only when all are there.
    Registry& registry = (*runtime)->tools();
    plugins::FoundPlugins found = plugins::find_plugins(folders);
    const Terminal& terminal = shell.terminal();
    JsonArray listed;
    for (const plugins::Plugin& plugin : found.plugins) {
      std::vector<std::string> names;
      bool loaded = true;
      for (const plugins::PluginTool& tool : plugin.manifest.tools) {
        const auto there = registry.find(tool.name);
        loaded = loaded && there && (*there)->definition.group == plugin.manifest.name;
        names.push_back(tool.name);
      }
      if (shell.options().json) {
        listed.push_back(JsonObject{{"name", plugin.manifest.name},
                                    {"version", plugin.manifest.version},
                                    {"kind", name_of(plugin.manifest.kind)},
                                    {"file", plugin.file},
                                    {"project", plugin.of_project},
                                    {"loaded", loaded},
                                    {"tools", JsonArray(names.begin(), names.end())}});
        continue;
      }
      terminal.out(concat(terminal.paint(Colour::kBold, plugin.manifest.name), " ",
                          printable_line(plugin.manifest.version), "  (", name_of(plugin.manifest.kind),
                          plugin.of_project ? ", of this project" : "", loaded ? "" : ", not loaded", ")  ",
                          join(names, ", "), "\n"));
    }
    if (shell.options().json) {
      JsonArray problems;
      for (const plugins::PluginProblem& problem : found.problems) problems.push_back(problem_json(problem));
      shell.print_json(JsonObject{{"plugins", std::move(listed)}, {"problems", std::move(problems)}});
      return kOk;
    }
    if (found.plugins.empty() && found.problems.empty() && !shell.options().quiet)
      terminal.err(concat("No plugins in ", folders.user,
                          folders.project.empty() ? "" : concat(" or ", folders.project), ".\n"));
    return kOk;
  }

  static int check(const Shell& shell, const std::vector<std::string>& files,
                   const plugins::PluginFolders& folders) {
    plugins::FoundPlugins found;
    if (files.empty()) found = plugins::find_plugins(folders);
    for (const std::string& given : files) {
      std::error_code ignored;
      const std::string real = real_path(given).value_or(given);
      const std::string file =
          std::filesystem::is_directory(real, ignored) ? concat(real, "/plugin.toml") : real;
      auto plugin = plugins::read_plugin(file);
      if (plugin)
        found.plugins.push_back(*std::move(plugin));
      else
        found.problems.push_back({file, std::move(plugin).error()});
    }
    std::vector<std::string> good;
    for (const plugins::Plugin& plugin : found.plugins) {
      const auto problems = problems_of(plugin);
      if (problems.empty())
        good.push_back(concat(plugin.manifest.name, " ", plugin.manifest.version, "  ",
                              count_of(plugin.manifest.tools.size(), "tool")));
      for (const plugins::PluginProblem& problem : problems) found.problems.push_back(problem);
    }
    const int code = found.problems.empty() ? kOk : kToolError;
    if (shell.options().json) {
      JsonArray problems;
      for (const plugins::PluginProblem& problem : found.problems) problems.push_back(problem_json(problem));
      shell.print_json(
          JsonObject{{"good", JsonArray(good.begin(), good.end())}, {"problems", std::move(problems)}});
      return code;
    }
    const Terminal& terminal = shell.terminal();
    for (const std::string& line : good)
      terminal.out(concat(terminal.paint(Colour::kGreen, "ok"), "       ", printable_line(line), "\n"));
    for (const plugins::PluginProblem& problem : found.problems) print_problem(terminal, problem);
    return code;
  }

  // Beyond the manifest: names that are taken, programs that are missing.
  static std::vector<plugins::PluginProblem> problems_of(const plugins::Plugin& plugin) {
    std::vector<plugins::PluginProblem> problems;
    const auto add = [&](Error error) {
      if (!error.message.starts_with(plugin.file)) error.message = concat(plugin.file, ": ", error.message);
      problems.push_back({plugin.file, std::move(error)});
    };
    auto tools = plugins::make_tools(plugin, Settings());
    if (!tools) {
      add(tools.error());
      return problems;
    }
    Registry registry;
    for (auto& tool : builtin_tools())
      if (auto added = registry.add(std::move(tool)); !added) add(added.error());
    for (auto& tool : *tools)
      if (auto added = registry.add(std::move(tool)); !added) add(added.error());
    if (plugin.manifest.kind == plugins::PluginKind::kCommand)
      for (const plugins::PluginTool& tool : plugin.manifest.tools)
        if (const auto program =
                plugins::find_tool_program(tool.command.front().as_string(), plugin.directory);
            !program)
          add(program.error());
    return problems;
  }
};

}  // namespace

std::unique_ptr<Command> make_plugin_command() { return std::make_unique<TypedCommand<PluginCommand>>(); }

}  // namespace helve::cli
