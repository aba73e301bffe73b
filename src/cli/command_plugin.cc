// helve plugin: lists, checks, adds, removes and creates plugins.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/progress_line.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/builtin_tools.h"
#include "plugins/command_tool.h"
#include "plugins/install.h"
#include "plugins/plugin_host.h"
#include "plugins/skeleton.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

enum class PluginAction { kList, kCheck, kAdd, kRemove, kNew };
constexpr auto enum_names(PluginAction) {
  return std::to_array<std::string_view>({"list", "check", "add", "remove", "new"});
}

// The directory of the plugin headers: beside the installed program, or in its source tree.
std::optional<std::string> include_directory() {
  std::string place = real_path("/proc/self/exe").value_or("");
  constexpr int kMostSteps = 3;  // build/test/helve
  for (int step = 0; step < kMostSteps && place.find('/') != std::string::npos; ++step) {
    place.resize(place.rfind('/'));
    std::string directory = concat(place, "/include");
    // Only directories of this user or root: the headers get compiled.
    struct stat status{};
    if (::stat(concat(directory, "/helve/plugin.hpp").c_str(), &status) == 0 &&
        (status.st_uid == 0 || status.st_uid == ::geteuid()))
      return directory;
  }
  return std::nullopt;
}

struct PluginCommand {
  static constexpr std::string_view kName = "plugin";
  static constexpr std::string_view kSummary = "List, check, add, remove or create plugins";
  static constexpr std::string_view kDetails =
      "helve plugin list             loaded plugins with their tools, and skipped ones with the reason\n"
      "helve plugin check PATH…      load a manifest, or a directory with one, and report problems\n"
      "helve plugin add PATH         check it and copy it to your plugin directory\n"
      "helve plugin remove NAME      delete it there\n"
      "helve plugin new KIND NAME    create a skeleton: library (C++), mcp (Python) or command\n"
      "\n"
      "Plugins are in ~/.local/share/helve/plugins, and in .helve/plugins of a trusted workspace\n"
      "(helve config trust): NAME.toml, or a directory NAME with plugin.toml.";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "what"});

  struct Options {
    PluginAction action = PluginAction::kList;
    std::vector<std::string> what;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("what", what, "check, add: manifests or directories; remove: names; new: kind and name.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto folders = plugins::plugin_folders(shell.options().workspace);
    if (!folders) return shell.report(folders.error(), app::kSetup);
    switch (options.action) {
      case PluginAction::kList: return list(shell, *folders);
      case PluginAction::kCheck: return check(shell, options.what, *folders);
      case PluginAction::kAdd: return add(shell, options.what, *folders);
      case PluginAction::kRemove: return remove(shell, options.what, *folders);
      case PluginAction::kNew: return begin(shell, options.what);
    }
    return app::kUsage;
  }

 private:
  static JsonObject problem_json(const plugins::PluginProblem& problem) {
    return {{"file", problem.file}, {"error", problem.error.to_json()}};
  }

  static void print_problem(const app::Printer& terminal, const plugins::PluginProblem& problem) {
    terminal.out(concat(
        terminal.paint(terminal::Colour::kRed, "problem"), "  ",
        replace_all(terminal::printable(problem.error.message), "\n", concat("\n", std::string(9, ' '))),
        "\n"));
    if (!problem.error.hint.empty())
      terminal.out(concat("         ", terminal::printable_line(problem.error.hint), "\n"));
  }

  static int list(const app::Invocation& shell, const plugins::PluginFolders& folders) {
    const auto runtime = shell.runtime();
    if (!runtime) return shell.report(runtime.error(), app::kSetup);
    // Name clashes show only after all tools are loaded.
    Registry& registry = (*runtime)->tools();
    plugins::FoundPlugins found = plugins::find_plugins(folders);
    const app::Printer& terminal = shell.terminal();
    JsonArray listed;
    for (const plugins::Plugin& plugin : found.plugins) {
      const std::vector<std::string> names = plugins::tool_names_of(plugin);
      bool loaded = true;
      for (const std::string& name : names) {
        const auto there = registry.find(name);
        loaded = loaded && there && (*there)->definition.group == plugin.manifest.name;
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
      terminal.out(concat(terminal.paint(terminal::Colour::kBold, plugin.manifest.name), " ",
                          terminal::printable_line(plugin.manifest.version), "  (",
                          name_of(plugin.manifest.kind), plugin.of_project ? ", of this project" : "",
                          loaded ? "" : ", not loaded", ")  ", join(names, ", "), "\n"));
    }
    if (shell.options().json) {
      JsonArray problems;
      for (const plugins::PluginProblem& problem : found.problems) problems.push_back(problem_json(problem));
      shell.print_json(JsonObject{{"plugins", std::move(listed)}, {"problems", std::move(problems)}});
      return app::kOk;
    }
    if (found.plugins.empty() && found.problems.empty() && !shell.options().quiet)
      terminal.err(concat("No plugins in ", folders.user,
                          folders.project.empty() ? "" : concat(" or ", folders.project), ".\n"));
    return app::kOk;
  }

  static int check(const app::Invocation& shell, const std::vector<std::string>& files,
                   const plugins::PluginFolders& folders) {
    plugins::FoundPlugins found;
    if (files.empty()) found = plugins::find_plugins(folders);
    for (const std::string& given : files) {
      const std::string file = plugins::manifest_at(given);
      auto plugin = plugins::read_plugin(file);
      if (plugin)
        found.plugins.push_back(*std::move(plugin));
      else
        found.problems.push_back({file, std::move(plugin).error()});
    }
    std::vector<std::string> good;
    for (const plugins::Plugin& plugin : found.plugins) {
      const auto problems = problems_of(shell, plugin);
      if (problems.empty())
        good.push_back(concat(plugin.manifest.name, " ", plugin.manifest.version, "  ",
                              count_of(plugin.manifest.tools.size(), "tool")));
      for (const plugins::PluginProblem& problem : problems) found.problems.push_back(problem);
    }
    const int code = found.problems.empty() ? app::kOk : app::kToolError;
    if (shell.options().json) {
      JsonArray problems;
      for (const plugins::PluginProblem& problem : found.problems) problems.push_back(problem_json(problem));
      shell.print_json(
          JsonObject{{"good", JsonArray(good.begin(), good.end())}, {"problems", std::move(problems)}});
      return code;
    }
    const app::Printer& terminal = shell.terminal();
    for (const std::string& line : good)
      terminal.out(concat(terminal.paint(terminal::Colour::kGreen, "ok"), "       ",
                          terminal::printable_line(line), "\n"));
    for (const plugins::PluginProblem& problem : found.problems) print_problem(terminal, problem);
    return code;
  }

  // Checks beyond the manifest: taken names, missing programs, and errors while loading.
  static std::vector<plugins::PluginProblem> problems_of(const app::Invocation& shell,
                                                         const plugins::Plugin& plugin) {
    std::vector<plugins::PluginProblem> problems;
    const auto add = [&](Error error) {
      if (!error.message.starts_with(plugin.file)) error.message = concat(plugin.file, ": ", error.message);
      problems.push_back({plugin.file, std::move(error)});
    };
    const auto config = shell.config();
    const auto workspace = real_path(shell.options().workspace);
    if (!config || !workspace) {
      add(config ? workspace.error() : config.error());
      return problems;
    }
    Registry registry;
    for (auto& tool : core::builtin_tools())
      if (auto added = registry.add(std::move(tool)); !added) add(added.error());
    plugins::PluginHost host(
        registry, {.settings = config->settings,
                   .places = {.workspace = *workspace,
                              .state_directory = settings::default_state_directory().value_or("")}});
    if (const auto loaded = host.load(plugin); !loaded) add(loaded.error());
    if (plugin.manifest.kind == plugins::PluginKind::kCommand)
      for (const plugins::PluginTool& tool : plugin.manifest.tools)
        if (const auto program =
                plugins::find_tool_program(tool.command.front().as_string(), plugin.directory);
            !program)
          add(program.error());
    return problems;
  }

  static int usage(const app::Invocation& shell, std::string message, std::string hint) {
    return shell.report({ErrorCode::kInvalidArgument, std::move(message), std::move(hint)}, app::kUsage);
  }

  static void tell(const app::Invocation& shell, const Json& json, const std::string& text) {
    if (shell.options().json) return shell.print_json(json);
    if (!shell.options().quiet) shell.terminal().out(concat(terminal::printable_line(text), "\n"));
  }

  static int add(const app::Invocation& shell, const std::vector<std::string>& paths,
                 const plugins::PluginFolders& folders) {
    if (paths.empty()) return usage(shell, "Name a plugin.", "Example: helve plugin add ./my-plugin");
    for (const std::string& path : paths) {
      const auto plugin = plugins::read_plugin(plugins::manifest_at(path));
      if (!plugin) return shell.report(plugin.error(), app::kToolError);
      if (const auto problems = problems_of(shell, *plugin); !problems.empty())
        return shell.report(problems.front().error, app::kToolError);
      app::ProgressLine progress(shell.terminal(), shell.options().quiet);
      progress.begin(concat("Copying ", plugin->manifest.name));
      const auto installed = plugins::install_plugin(*plugin, folders.user);
      progress.end();
      if (!installed) return shell.report(installed.error(), app::kToolError);
      const std::vector<std::string> names = plugins::tool_names_of(*plugin);
      tell(shell,
           JsonObject{{"name", plugin->manifest.name},
                      {"place", installed->place},
                      {"replaced", installed->replaced},
                      {"tools", JsonArray(names.begin(), names.end())}},
           concat(installed->replaced ? "Replaced " : "Added ", installed->place, " with ", enumerate(names),
                  "."));
    }
    return app::kOk;
  }

  static int remove(const app::Invocation& shell, const std::vector<std::string>& names,
                    const plugins::PluginFolders& folders) {
    if (names.empty()) return usage(shell, "Name a plugin.", "Example: helve plugin remove my-plugin");
    for (const std::string& name : names) {
      const auto removed = plugins::remove_plugin(name, folders.user);
      if (!removed) return shell.report(removed.error(), app::kToolError);
      tell(shell, JsonObject{{"name", name}, {"removed", *removed}}, concat("Removed ", *removed, "."));
    }
    return app::kOk;
  }

  static int begin(const app::Invocation& shell, const std::vector<std::string>& what) {
    const auto kinds = enum_names(plugins::PluginKind{});
    const auto* kind = what.size() == 2 ? std::ranges::find(kinds, what[0]) : kinds.end();
    if (kind == kinds.end())
      return usage(shell, "A new plugin needs a kind (command, library or mcp) and a name.",
                   "Example: helve plugin new library my-plugin");
    const auto wanted = static_cast<plugins::PluginKind>(kind - kinds.begin());
    const auto headers = include_directory();
    if (wanted == plugins::PluginKind::kLibrary && !headers)
      shell.terminal().err(concat(
          shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
          "helve/plugin.hpp was not found beside this program; set its directory with make CPPFLAGS=-I…\n"));
    std::string include = headers.value_or("");
    if (include == "/usr/include" || include == "/usr/local/include")
      include.clear();  // a default of the compiler
    const auto files = plugins::plugin_skeleton(wanted, what[1], include);
    if (!files) return shell.report(files.error(), app::kUsage);
    if (auto written = plugins::write_skeleton(*files, what[1]); !written)
      return shell.report(written.error(), app::kToolError);
    JsonArray names;
    for (const plugins::SkeletonFile& file : *files) names.emplace_back(file.name);
    tell(shell, JsonObject{{"folder", what[1]}, {"files", std::move(names)}},
         concat("Created ", what[1], ". Test it with make -C ", what[1],
                " test, install it with helve plugin add ", what[1], "."));
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_plugin_command() { return std::make_unique<TypedCommand<PluginCommand>>(); }

}  // namespace helve::cli
