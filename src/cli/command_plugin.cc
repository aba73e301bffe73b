// helve plugin: the plugins there are, what is wrong with those that are left out; adding, removing,
// beginning one.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/builtin_tools.h"
#include "core/directories.h"
#include "plugins/command_tool.h"
#include "plugins/install.h"
#include "plugins/plugin_host.h"
#include "plugins/skeleton.h"

namespace helve::cli {
namespace {

enum class PluginAction { kList, kCheck, kAdd, kRemove, kNew };
constexpr auto enum_names(PluginAction) {
  return std::to_array<std::string_view>({"list", "check", "add", "remove", "new"});
}

// Where the headers for plugins lie: beside an installed program, or in the source from which it was built.
std::optional<std::string> include_directory() {
  std::string place = real_path("/proc/self/exe").value_or("");
  constexpr int kMostSteps = 3;  // build/test/helve
  for (int step = 0; step < kMostSteps && place.find('/') != std::string::npos; ++step) {
    place.resize(place.rfind('/'));
    std::string directory = concat(place, "/include");
    // Nobody else's: what is in it gets compiled.
    struct stat status{};
    if (::stat(concat(directory, "/helve/plugin.hpp").c_str(), &status) == 0 &&
        (status.st_uid == 0 || status.st_uid == ::geteuid()))
      return directory;
  }
  return std::nullopt;
}

struct PluginCommand {
  static constexpr std::string_view kName = "plugin";
  static constexpr std::string_view kSummary = "List plugins, check, add, remove or begin one";
  static constexpr std::string_view kDetails =
      "helve plugin list             the plugins that are loaded, their tools, and those that are left out\n"
      "helve plugin check PATH…      reads a manifest or a folder with one, loads it, and says what is "
      "wrong\n"
      "helve plugin add PATH         checks it and copies it into the user's plugin folder\n"
      "helve plugin remove NAME      takes it away from there\n"
      "helve plugin new KIND NAME    writes the beginning of one: library (C++), mcp (Python) or command\n"
      "\n"
      "Plugins lie in ~/.local/share/helve/plugins, and in .helve/plugins of a workspace that is trusted\n"
      "(helve config trust): NAME.toml, or a folder NAME with plugin.toml in it.";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "what"});

  struct Options {
    PluginAction action = PluginAction::kList;
    std::vector<std::string> what;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("what", what, "check, add: manifests or folders; remove: names; new: a kind and a name.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    const auto folders = plugins::plugin_folders(shell.options().workspace);
    if (!folders) return shell.report(folders.error(), kSetup);
    switch (options.action) {
      case PluginAction::kList: return list(shell, *folders);
      case PluginAction::kCheck: return check(shell, options.what, *folders);
      case PluginAction::kAdd: return add(shell, options.what, *folders);
      case PluginAction::kRemove: return remove(shell, options.what, *folders);
      case PluginAction::kNew: return begin(shell, options.what);
    }
    return kUsage;
  }

 private:
  static JsonObject problem_json(const plugins::PluginProblem& problem) {
    return {{"file", problem.file}, {"error", problem.error.to_json()}};
  }

  static void print_problem(const Terminal& terminal, const plugins::PluginProblem& problem) {
    terminal.out(
        concat(terminal.paint(Colour::kRed, "problem"), "  ",
               replace_all(printable(problem.error.message), "\n", concat("\n", std::string(9, ' '))), "\n"));
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

  // Beyond the manifest: names that are taken, programs that are missing, and all that shows only when it is
  // loaded.
  static std::vector<plugins::PluginProblem> problems_of(const Shell& shell, const plugins::Plugin& plugin) {
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
    for (auto& tool : builtin_tools())
      if (auto added = registry.add(std::move(tool)); !added) add(added.error());
    plugins::PluginHost host(
        registry,
        {.settings = config->settings,
         .places = {.workspace = *workspace, .state_directory = default_state_directory().value_or("")}});
    if (const auto loaded = host.load(plugin); !loaded) add(loaded.error());
    if (plugin.manifest.kind == plugins::PluginKind::kCommand)
      for (const plugins::PluginTool& tool : plugin.manifest.tools)
        if (const auto program =
                plugins::find_tool_program(tool.command.front().as_string(), plugin.directory);
            !program)
          add(program.error());
    return problems;
  }

  static int usage(const Shell& shell, std::string message, std::string hint) {
    return shell.report({ErrorCode::kInvalidArgument, std::move(message), std::move(hint)}, kUsage);
  }

  static void tell(const Shell& shell, const Json& json, const std::string& text) {
    if (shell.options().json) return shell.print_json(json);
    if (!shell.options().quiet) shell.terminal().out(concat(printable_line(text), "\n"));
  }

  static int add(const Shell& shell, const std::vector<std::string>& paths,
                 const plugins::PluginFolders& folders) {
    if (paths.empty()) return usage(shell, "Which plugin?", "For instance helve plugin add ./my-plugin.");
    for (const std::string& path : paths) {
      const auto plugin = plugins::read_plugin(plugins::manifest_at(path));
      if (!plugin) return shell.report(plugin.error(), kToolError);
      if (const auto problems = problems_of(shell, *plugin); !problems.empty())
        return shell.report(problems.front().error, kToolError);
      const auto installed = plugins::install_plugin(*plugin, folders.user);
      if (!installed) return shell.report(installed.error(), kToolError);
      const std::vector<std::string> names = plugins::tool_names_of(*plugin);
      tell(shell,
           JsonObject{{"name", plugin->manifest.name},
                      {"place", installed->place},
                      {"replaced", installed->replaced},
                      {"tools", JsonArray(names.begin(), names.end())}},
           concat(installed->replaced ? "Replaced " : "Added ", installed->place, " with ", enumerate(names),
                  "."));
    }
    return kOk;
  }

  static int remove(const Shell& shell, const std::vector<std::string>& names,
                    const plugins::PluginFolders& folders) {
    if (names.empty()) return usage(shell, "Which plugin?", "For instance helve plugin remove my-plugin.");
    for (const std::string& name : names) {
      const auto removed = plugins::remove_plugin(name, folders.user);
      if (!removed) return shell.report(removed.error(), kToolError);
      tell(shell, JsonObject{{"name", name}, {"removed", *removed}}, concat("Removed ", *removed, "."));
    }
    return kOk;
  }

  static int begin(const Shell& shell, const std::vector<std::string>& what) {
    const auto kinds = enum_names(plugins::PluginKind{});
    const auto* kind = what.size() == 2 ? std::ranges::find(kinds, what[0]) : kinds.end();
    if (kind == kinds.end())
      return usage(shell, "A new plugin needs a kind (command, library or mcp) and a name.",
                   "For instance helve plugin new library my-plugin.");
    const auto wanted = static_cast<plugins::PluginKind>(kind - kinds.begin());
    const auto headers = include_directory();
    if (wanted == plugins::PluginKind::kLibrary && !headers)
      shell.terminal().err(concat(
          shell.terminal().paint_err(Colour::kYellow, "warning: "),
          "helve/plugin.hpp does not lie beside this program; say where it is with make CPPFLAGS=-I…\n"));
    std::string include = headers.value_or("");
    if (include == "/usr/include" || include == "/usr/local/include") include.clear();  // looked in anyway
    const auto files = plugins::plugin_skeleton(wanted, what[1], include);
    if (!files) return shell.report(files.error(), kUsage);
    if (auto written = plugins::write_skeleton(*files, what[1]); !written)
      return shell.report(written.error(), kToolError);
    JsonArray names;
    for (const plugins::SkeletonFile& file : *files) names.emplace_back(file.name);
    tell(shell, JsonObject{{"folder", what[1]}, {"files", std::move(names)}},
         concat("Made ", what[1], ". make -C ", what[1], " test tries it; helve plugin add ", what[1],
                " installs it."));
    return kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_plugin_command() { return std::make_unique<TypedCommand<PluginCommand>>(); }

}  // namespace helve::cli
