// helve config: shows settings and their origins, and trusts directories.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/trust_project.h"
#include "settings/directories.h"
#include "settings/trust.h"

namespace helve::cli {
namespace {

enum class ConfigAction { kShow, kGet, kSet, kPaths, kTrust, kUntrust };
constexpr auto enum_names(ConfigAction) {
  return std::to_array<std::string_view>({"show", "get", "set", "paths", "trust", "untrust"});
}

struct ConfigCommand {
  static constexpr std::string_view kName = "config";
  static constexpr std::string_view kSummary = "Show settings and their origins; trust a directory";
  static constexpr std::string_view kDetails =
      "helve config show            all settings with value and origin\n"
      "helve config get NAME        one setting or section\n"
      "helve config set NAME VALUE  check the value and show what to write where\n"
      "helve config paths           configuration files, state and data directories\n"
      "helve config trust           show what the workspace's own configuration grants, and use it\n"
      "helve config untrust         stop using it";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "names"});

  struct Options {
    ConfigAction action = ConfigAction::kShow;
    std::vector<std::string> names;
    bool yes = false;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("names", names, "show, get: only these settings or sections. set: a setting and its value.");
      p.optional("yes", yes, "trust: Use it without a question. Needed without a terminal.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    switch (options.action) {
      case ConfigAction::kGet:
        if (options.names.empty())
          return shell.report({ErrorCode::kInvalidArgument, "helve config get needs the name of a setting.",
                               "helve config show lists all of them."},
                              app::kUsage);
        return show(shell, options.names);
      case ConfigAction::kShow: return show(shell, options.names);
      case ConfigAction::kSet: return how_to_set(shell, options.names);
      case ConfigAction::kPaths:
      case ConfigAction::kTrust:
      case ConfigAction::kUntrust: break;
    }
    if (!options.names.empty())
      return shell.report(
          {ErrorCode::kInvalidArgument, concat("Unexpected argument ", options.names.front(), "."),
           concat("helve config ", name_of(options.action),
                  " works on the current directory; use --workspace for another.")},
          app::kUsage);
    return options.action == ConfigAction::kPaths ? paths(shell)
                                                  : change_trust(shell, options.action, options.yes);
  }

 private:
  static Expected<std::vector<settings::Config::Entry>> chosen(const settings::Config& config,
                                                               const std::vector<std::string>& names) {
    if (names.empty()) return config.entries;
    std::vector<settings::Config::Entry> found;
    for (const std::string& name : names) {
      const std::size_t before = found.size();
      for (const settings::Config::Entry& entry : config.entries)
        if (entry.key == name || entry.key.starts_with(concat(name, "."))) found.push_back(entry);
      if (found.size() > before) continue;
      const std::string near = settings::nearest_setting(name);
      return fail(ErrorCode::kNotFound, concat("There is no setting ", name, "."),
                  near.empty() ? "helve config show lists all of them." : concat("Did you mean ", near, "?"));
    }
    return found;
  }

  // The value of a setting, or of an entry of a map: lsp.servers.pyright.enabled. Null when it is not clear.
  static const Json* value_of(const settings::Config& config, std::string_view name) {
    for (const settings::Config::Entry& entry : config.entries) {
      if (entry.key == name) return &entry.value;
      if (!name.starts_with(entry.key + ".")) continue;
      const Json* at = &entry.value;
      for (std::string_view rest = name.substr(entry.key.size() + 1); at != nullptr && !rest.empty();) {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        if (const Json* whole = at->find(rest)) return whole;
        at = at->find(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      return at;
    }
    return nullptr;
  }

  static std::string_view note_on(const settings::Config::Entry& entry) {
    return entry.key == "mode" && entry.origin == "default" ? "; full for calls at the shell" : "";
  }

  static int show(const app::Invocation& shell, const std::vector<std::string>& names) {
    const auto config = shell.config();
    if (!config) return shell.report(config.error(), app::kSetup);
    const auto entries = chosen(*config, names);
    if (!entries) return shell.report(entries.error(), app::kUsage);
    if (shell.options().json) {
      JsonArray list;
      for (const settings::Config::Entry& entry : *entries)
        list.push_back(JsonObject{{"key", entry.key},
                                  {"value", entry.value},
                                  {"origin", entry.origin},
                                  {"description", entry.description}});
      shell.print_json(list);
      return app::kOk;
    }
    const app::Printer& terminal = shell.terminal();
    std::size_t width = 0;
    for (const settings::Config::Entry& entry : *entries)
      width = std::max(width, entry.key.size() + to_text(entry.value).size());
    for (const settings::Config::Entry& entry : *entries) {
      const std::string value = to_text(entry.value);
      const std::string pad(width - entry.key.size() - value.size() + 2, ' ');
      const terminal::Colour colour =
          entry.origin == "default" ? terminal::Colour::kDim : terminal::Colour::kGreen;
      terminal.out(concat(terminal.paint(terminal::Colour::kBold, entry.key), " = ", value, pad,
                          terminal.paint(colour, concat("# ", entry.origin, note_on(entry))), "\n"));
    }
    return app::kOk;
  }

  // Helve does not edit the user's file: it has its own comments and order.
  static int how_to_set(const app::Invocation& shell, std::vector<std::string> words) {
    if (words.size() == 1)
      if (const std::size_t equals = words.front().find('='); equals != std::string::npos)
        words = {words.front().substr(0, equals), words.front().substr(equals + 1)};
    if (words.size() != 2)
      return shell.report({ErrorCode::kInvalidArgument, "helve config set needs a setting and its value.",
                           "For instance helve config set results.limit 10000."},
                          app::kUsage);
    const auto sources = shell.config_sources();
    if (!sources) return shell.report(sources.error(), app::kSetup);
    const auto config = settings::load_config({.assignments = {{words[0], words[1]}}});
    if (!config) return shell.report(config.error(), app::kUsage);
    const Json* value = value_of(*config, words[0]);
    const std::size_t dot = words[0].rfind('.');
    if (value == nullptr || value->is_object())
      return shell.report(
          {ErrorCode::kUnavailable, "helve config set does not change files.",
           concat("helve man settings shows how ", words[0], " is written in ", sources->user_file, ".")},
          app::kUsage);
    const std::string line = concat(words[0].substr(dot + 1), " = ", to_text(*value));
    return shell.report({ErrorCode::kUnavailable, "helve config set does not change files.",
                         concat("Write ", line,
                                dot == std::string::npos ? " above the first section"
                                                         : concat(" beneath [", words[0].substr(0, dot), "]"),
                                " in ", sources->user_file, "; or, for one call, add --set ",
                                shell_quoted(concat(words[0], "=", words[1])), ".")},
                        app::kUsage);
  }

  static int paths(const app::Invocation& shell) {
    const auto sources = shell.config_sources();
    if (!sources) return shell.report(sources.error(), app::kSetup);
    const auto state = settings::default_state_directory();
    const auto data = settings::default_data_directory();
    if (shell.options().json) {
      shell.print_json(JsonObject{{"user", sources->user_file},
                                  {"rules", sources->rules_file},
                                  {"workspaceRules", sources->workspace_rules_file},
                                  {"project", sources->project_file},
                                  {"projectTrusted", sources->project.is_trusted()},
                                  {"state", state ? Json(*state) : Json()},
                                  {"data", data ? Json(*data) : Json()}});
      return app::kOk;
    }
    shell.terminal().out(concat("user     ", sources->user_file, "\nrules    ", sources->rules_file,
                                "\nalways   ", sources->workspace_rules_file, "\nproject  ",
                                sources->project_file,
                                sources->project.is_trusted()      ? " (trusted)"
                                : sources->project.changed.empty() ? " (not trusted)"
                                                                   : " (changed since it was trusted)",
                                "\nstate    ", state ? *state : state.error().message, "\ndata     ",
                                data ? *data : data.error().message, "\n"));
    return app::kOk;
  }

  // The path with the links of its existing part resolved; empty on an error.
  static std::string path_of_missing(const std::string& path) {
    std::error_code error;
    std::string was = std::filesystem::weakly_canonical(std::filesystem::path(path) / "", error).string();
    if (error) return {};
    if (was.size() > 1 && was.ends_with('/')) was.pop_back();
    return was;
  }

  static int change_trust(const app::Invocation& shell, ConfigAction action, bool yes) {
    auto folder = shell.workspace();
    // A trusted directory may no longer exist.
    if (!folder && folder.error().code == ErrorCode::kNotFound && action == ConfigAction::kUntrust)
      if (std::string was = path_of_missing(shell.options().workspace); !was.empty()) folder = std::move(was);
    if (!folder) return shell.report(folder.error(), app::kSetup);
    const auto state = settings::default_state_directory();
    if (!state) return shell.report(state.error(), app::kSetup);
    settings::TrustedFolders trusted(*state);
    if (action == ConfigAction::kTrust) return trust_project(shell, trusted, *folder, yes);
    const auto removed = trusted.remove(*folder);
    if (!removed) return shell.report(removed.error(), app::kSetup);
    shell.terminal().out(concat(*folder, *removed ? " is no longer trusted.\n" : " was not trusted.\n"));
    return app::kOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_command() { return std::make_unique<TypedCommand<ConfigCommand>>(); }

}  // namespace helve::cli
