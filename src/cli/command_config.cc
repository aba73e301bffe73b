// helve config: the settings and where they come from; which folders are trusted.
#include <algorithm>
#include <array>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/directories.h"
#include "core/trust.h"

namespace helve::cli {
namespace {

enum class ConfigAction { kShow, kPaths, kTrust, kUntrust };
constexpr auto enum_names(ConfigAction) {
  return std::to_array<std::string_view>({"show", "paths", "trust", "untrust"});
}

struct ConfigCommand {
  static constexpr std::string_view kName = "config";
  static constexpr std::string_view kSummary = "Show the settings and where they come from; trust a folder";
  static constexpr std::string_view kDetails =
      "helve config show      every setting, its value and its origin\n"
      "helve config paths     the files that are read, and where state and data are kept\n"
      "helve config trust     let the workspace's own .helve/config.toml count\n"
      "helve config untrust   take that back";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action"});

  struct Options {
    ConfigAction action = ConfigAction::kShow;

    void describe(ParamSpec& p) { p.optional("action", action, "What to do."); }
  };

  int run(const Shell& shell, const Options& options) const {
    switch (options.action) {
      case ConfigAction::kShow: return show(shell);
      case ConfigAction::kPaths: return paths(shell);
      case ConfigAction::kTrust:
      case ConfigAction::kUntrust: return change_trust(shell, options.action);
    }
    return kUsage;
  }

 private:
  static int show(const Shell& shell) {
    const auto config = shell.config();
    if (!config) return shell.report(config.error(), kSetup);
    if (shell.options().json) {
      JsonArray list;
      for (const Config::Entry& entry : config->entries)
        list.push_back(JsonObject{{"key", entry.key},
                                  {"value", entry.value},
                                  {"origin", entry.origin},
                                  {"description", entry.description}});
      shell.print_json(list);
      return kOk;
    }
    const Terminal& terminal = shell.terminal();
    std::size_t width = 0;
    for (const Config::Entry& entry : config->entries)
      width = std::max(width, entry.key.size() + to_text(entry.value).size());
    for (const Config::Entry& entry : config->entries) {
      const std::string value = to_text(entry.value);
      const std::string pad(width - entry.key.size() - value.size() + 2, ' ');
      const Colour colour = entry.origin == "default" ? Colour::kDim : Colour::kGreen;
      terminal.out(concat(terminal.paint(Colour::kBold, entry.key), " = ", value, pad,
                          terminal.paint(colour, concat("# ", entry.origin)), "\n"));
    }
    return kOk;
  }

  static int paths(const Shell& shell) {
    const auto sources = shell.config_sources();
    if (!sources) return shell.report(sources.error(), kSetup);
    const auto state = default_state_directory();
    const auto data = default_data_directory();
    if (shell.options().json) {
      shell.print_json(JsonObject{{"user", sources->user_file},
                                  {"rules", sources->rules_file},
                                  {"workspaceRules", sources->workspace_rules_file},
                                  {"project", sources->project_file},
                                  {"projectTrusted", sources->project_trusted},
                                  {"state", state ? Json(*state) : Json()},
                                  {"data", data ? Json(*data) : Json()}});
      return kOk;
    }
    shell.terminal().out(concat(
        "user     ", sources->user_file, "\nrules    ", sources->rules_file, "\nalways   ",
        sources->workspace_rules_file, "\nproject  ", sources->project_file,
        sources->project_trusted ? " (trusted)" : " (not trusted)", "\nstate    ",
        state ? *state : state.error().message, "\ndata     ", data ? *data : data.error().message, "\n"));
    return kOk;
  }

  static int change_trust(const Shell& shell, ConfigAction action) {
    const auto folder = real_path(shell.options().workspace);
    if (!folder) return shell.report(folder.error(), kSetup);
    const auto state = default_state_directory();
    if (!state) return shell.report(state.error(), kSetup);
    TrustedFolders trusted(*state);
    if (action == ConfigAction::kTrust) {
      if (auto added = trusted.add(*folder); !added) return shell.report(added.error(), kSetup);
      shell.terminal().out(concat(*folder, " is trusted: its .helve/config.toml counts from now on.\n"));
      return kOk;
    }
    const auto removed = trusted.remove(*folder);
    if (!removed) return shell.report(removed.error(), kSetup);
    shell.terminal().out(concat(*folder, *removed ? " is no longer trusted.\n" : " was not trusted.\n"));
    return kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_command() { return std::make_unique<TypedCommand<ConfigCommand>>(); }

}  // namespace helve::cli
