// helve config: the settings and where they come from; which folders are trusted.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/command.h"
#include "core/directories.h"
#include "core/trust.h"

namespace helve::cli {
namespace {

enum class ConfigAction { kShow, kGet, kSet, kPaths, kTrust, kUntrust };
constexpr auto enum_names(ConfigAction) {
  return std::to_array<std::string_view>({"show", "get", "set", "paths", "trust", "untrust"});
}

struct ConfigCommand {
  static constexpr std::string_view kName = "config";
  static constexpr std::string_view kSummary = "Show the settings and where they come from; trust a folder";
  static constexpr std::string_view kDetails =
      "helve config show            every setting, its value and its origin\n"
      "helve config get NAME        the same for one setting, or for a section\n"
      "helve config set NAME VALUE  checks it, and says what to write and where\n"
      "helve config paths           the files that are read, and where state and data are kept\n"
      "helve config trust           let the workspace's own .helve/config.toml count\n"
      "helve config untrust         take that back";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "names"});

  struct Options {
    ConfigAction action = ConfigAction::kShow;
    std::vector<std::string> names;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("names", names, "show, get: only these settings or sections. set: a setting and its value.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    switch (options.action) {
      case ConfigAction::kGet:
        if (options.names.empty())
          return shell.report({ErrorCode::kInvalidArgument, "helve config get needs the name of a setting.",
                               "helve config show lists all of them."},
                              kUsage);
        return show(shell, options.names);
      case ConfigAction::kShow: return show(shell, options.names);
      case ConfigAction::kSet: return how_to_set(shell, options.names);
      case ConfigAction::kPaths:
      case ConfigAction::kTrust:
      case ConfigAction::kUntrust: break;
    }
    if (!options.names.empty())
      return shell.report(
          {ErrorCode::kInvalidArgument, concat("Nothing can be done with ", options.names.front(), " here."),
           concat("helve config ", name_of(options.action),
                  " is about the current directory; --workspace names another.")},
          kUsage);
    return options.action == ConfigAction::kPaths ? paths(shell) : change_trust(shell, options.action);
  }

 private:
  static Expected<std::vector<Config::Entry>> chosen(const Config& config,
                                                     const std::vector<std::string>& names) {
    if (names.empty()) return config.entries;
    std::vector<Config::Entry> found;
    for (const std::string& name : names) {
      const std::size_t before = found.size();
      for (const Config::Entry& entry : config.entries)
        if (entry.key == name || entry.key.starts_with(concat(name, "."))) found.push_back(entry);
      if (found.size() > before) continue;
      const std::string near = nearest_setting(name);
      return fail(ErrorCode::kNotFound, concat("There is no setting ", name, "."),
                  near.empty() ? "helve config show lists all of them." : concat("Did you mean ", near, "?"));
    }
    return found;
  }

  static std::string_view note_on(const Config::Entry& entry) {
    return entry.key == "mode" && entry.origin == "default" ? "; full for calls at the shell" : "";
  }

  static int show(const Shell& shell, const std::vector<std::string>& names) {
    const auto config = shell.config();
    if (!config) return shell.report(config.error(), kSetup);
    const auto entries = chosen(*config, names);
    if (!entries) return shell.report(entries.error(), kUsage);
    if (shell.options().json) {
      JsonArray list;
      for (const Config::Entry& entry : *entries)
        list.push_back(JsonObject{{"key", entry.key},
                                  {"value", entry.value},
                                  {"origin", entry.origin},
                                  {"description", entry.description}});
      shell.print_json(list);
      return kOk;
    }
    const Terminal& terminal = shell.terminal();
    std::size_t width = 0;
    for (const Config::Entry& entry : *entries)
      width = std::max(width, entry.key.size() + to_text(entry.value).size());
    for (const Config::Entry& entry : *entries) {
      const std::string value = to_text(entry.value);
      const std::string pad(width - entry.key.size() - value.size() + 2, ' ');
      const Colour colour = entry.origin == "default" ? Colour::kDim : Colour::kGreen;
      terminal.out(concat(terminal.paint(Colour::kBold, entry.key), " = ", value, pad,
                          terminal.paint(colour, concat("# ", entry.origin, note_on(entry))), "\n"));
    }
    return kOk;
  }

  // The file is the person's, with comments and an order of their own.
  static int how_to_set(const Shell& shell, std::vector<std::string> words) {
    if (words.size() == 1)
      if (const std::size_t equals = words.front().find('='); equals != std::string::npos)
        words = {words.front().substr(0, equals), words.front().substr(equals + 1)};
    if (words.size() != 2)
      return shell.report({ErrorCode::kInvalidArgument, "helve config set needs a setting and its value.",
                           "For instance helve config set results.limit 10000."},
                          kUsage);
    const auto sources = shell.config_sources();
    if (!sources) return shell.report(sources.error(), kSetup);
    const auto config = load_config({.assignments = {{words[0], words[1]}}});
    if (!config) return shell.report(config.error(), kUsage);
    const auto entry = std::ranges::find(config->entries, words[0], &Config::Entry::key);
    const std::size_t dot = words[0].rfind('.');
    if (entry->value.is_object())
      return shell.report(
          {ErrorCode::kUnavailable, "helve config changes no files, so nothing was set.",
           concat("helve man settings shows how ", words[0], " is written in ", sources->user_file, ".")},
          kUsage);
    const std::string line = concat(words[0].substr(dot + 1), " = ", to_text(entry->value));
    return shell.report({ErrorCode::kUnavailable, "helve config changes no files, so nothing was set.",
                         concat("Write ", line,
                                dot == std::string::npos ? " above the first section"
                                                         : concat(" beneath [", words[0].substr(0, dot), "]"),
                                " in ", sources->user_file, "; or, for one call, add --set ",
                                shell_quoted(concat(words[0], "=", words[1])), ".")},
                        kUsage);
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

  // What of it is there, without symbolic links, and the rest as it is written.
  // Empty when that cannot be told.
  static std::string path_that_was(const std::string& path) {
    std::error_code error;
    std::string was = std::filesystem::weakly_canonical(std::filesystem::path(path) / "", error).string();
    if (error) return {};
    if (was.size() > 1 && was.ends_with('/')) was.pop_back();
    return was;
  }

  static int change_trust(const Shell& shell, ConfigAction action) {
    auto folder = shell.workspace();
    // Trust may outlive its folder.
    if (!folder && folder.error().code == ErrorCode::kNotFound && action == ConfigAction::kUntrust)
      if (std::string was = path_that_was(shell.options().workspace); !was.empty()) folder = std::move(was);
    if (!folder) return shell.report(folder.error(), kSetup);
    const auto state = default_state_directory();
    if (!state) return shell.report(state.error(), kSetup);
    TrustedFolders trusted(*state);
    if (action == ConfigAction::kTrust) {
      if (auto added = trusted.add(*folder); !added) return shell.report(added.error(), kSetup);
      const bool has_file = ::access(concat(*folder, "/.helve/config.toml").c_str(), F_OK) == 0;
      shell.terminal().out(concat(*folder, has_file
                                               ? " is trusted: its .helve/config.toml counts from now on.\n"
                                               : " is trusted. There is no .helve/config.toml in it yet; "
                                                 "one that is put there will count at once.\n"));
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
