// helve init: sets up a workspace and adds Helve to the agents on this machine.
#include <algorithm>
#include <array>

#include "app/printer.h"
#include "app/read_answer.h"
#include "base/environment.h"
#include "base/file_io.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/init/init_plan.h"
#include "cli/init/init_settings.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

constexpr std::size_t kLongestShown = 400;  // some programs write their file as one long line

enum class AgentName { kClaude, kCodex, kGemini, kVscode, kCursor, kOpencode, kZed };
constexpr auto enum_names(AgentName) {
  return std::to_array<std::string_view>(
      {"claude", "codex", "gemini", "vscode", "cursor", "opencode", "zed"});
}

// "helve" if PATH finds this program, so that updates are used; otherwise its path.
std::string program_to_write() {
  const auto self = real_path("/proc/self/exe");
  const auto in_path = find_program("helve");
  const auto found = in_path ? real_path(*in_path) : fail(ErrorCode::kNotFound, "");
  if (!self || (found && *found == *self)) return "helve";
  return *self;
}

Expected<Places> find_places(const app::Invocation& shell) {
  Places places{.home = settings::home_directory(), .config_home = environment_variable("XDG_CONFIG_HOME")};
  if (places.home.empty()) return fail(ErrorCode::kUnavailable, "There is no home directory.", "Set HOME.");
  if (!places.config_home.starts_with('/')) places.config_home = places.home + "/.config";
  auto workspace = shell.workspace();
  if (!workspace) return fail(workspace.error());
  places.workspace = *std::move(workspace);
  places.helve = program_to_write();
  return places;
}

struct Init {
  static constexpr std::string_view kName = "init";
  static constexpr std::string_view kSummary =
      "Set up a directory and add Helve to the agents on this machine";
  static constexpr std::string_view kDetails =
      "helve init                 offer .helve/config.toml, and Helve for each installed agent\n"
      "helve init claude codex    only for these agents, installed or not\n"
      "helve init gemini --mode accept-edits   the agent starts Helve in this mode\n"
      "helve init --dry-run       show what would change\n"
      "helve init --remove        revert its changes, or only those for the named agents\n"
      "\n"
      "init shows a diff of every change to an agent's file. At a terminal it asks before each change. It\n"
      "replaces a file in one step and keeps the rest of its content. It does not change a file that it\n"
      "cannot parse. The new .helve/config.toml has only comments. After you edit it, run\n"
      "helve config trust.";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"agents"});

  struct Options {
    std::vector<AgentName> agents;
    bool yes = false;
    bool dry_run = false;
    bool remove = false;
    bool project = false;
    bool settings = true;

    void describe(ParamSpec& p) {
      p.optional("agents", agents,
                 "claude, codex, gemini, vscode, cursor, opencode or zed; default: the installed ones.");
      p.optional("yes", yes, "Make the changes without asking.");
      p.optional("dryRun", dry_run, "Only show what would change.");
      p.optional("remove", remove, "Remove Helve and everything else init has written.");
      p.optional(
          "project", project,
          "Use the agents' files in this directory, shared with its other users, instead of your own.");
      p.optional("settings", settings, "Write the settings file of this directory.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto places = find_places(shell);
    if (!places) return shell.report(places.error(), app::kSetup);
    const auto state = settings::default_state_directory();
    if (!state) return shell.report(state.error(), app::kSetup);
    InitRecords records(*state);
    if (auto loaded = records.load(); !loaded) return shell.report(loaded.error(), app::kSetup);
    const auto steps = plan(shell, options, *places, records);
    if (!steps) return shell.report(steps.error(), app::kSetup);
    return carry_out(shell, options, *places, *steps, records);
  }

 private:
  static Expected<std::vector<InitStep>> plan(const app::Invocation& shell, const Options& options,
                                              const Places& places, const InitRecords& records) {
    std::vector<InitStep> steps;
    const std::string settings_file = places.workspace + "/.helve/config.toml";
    if (options.settings && options.remove && options.agents.empty())
      steps.push_back(plan_settings_removal(settings_file, records));
    if (options.settings && !options.remove) {
      const auto defaults = settings::load_config({});
      if (!defaults) return fail(defaults.error());
      steps.push_back(plan_settings(settings_file, settings_template(*defaults)));
    }
    for (McpClient& client : known_clients(places)) {
      const bool named =
          std::ranges::any_of(options.agents, [&](AgentName name) { return name_of(name) == client.name; });
      if (options.agents.empty() ? !client.is_here() : !named) continue;
      if (!options.remove) {
        const std::string& file = client.file(options.project);
        InitStep step = plan_client(client, file, places);
        if (const auto mode = step.changes() ? mode_for(shell, options, client) : std::nullopt) {
          start_in_mode(client, *mode);
          step = plan_client(client, file, places);
        }
        steps.push_back(std::move(step));
        continue;
      }
      // Removes it from both files unless one kind is chosen.
      if (!client.prefers_project && !options.project)
        steps.push_back(plan_client_removal(client, client.user_file, records));
      InitStep in_project = plan_client_removal(client, client.project_file, records);
      if (options.project || client.prefers_project || in_project.kind == InitStep::Kind::kRemove)
        steps.push_back(std::move(in_project));
    }
    return steps;
  }

  // In which mode the client starts Helve; nothing for the mode of the settings.
  static std::optional<Mode> mode_for(const app::Invocation& shell, const Options& options,
                                      const McpClient& client) {
    if (shell.options().mode || client.can_be_asked || options.yes || options.dry_run || shell.options().json)
      return shell.options().mode;
    const auto answer = app::ask_word(concat(
        client.title, " cannot show questions, so they wait in helve approvals. Without asking, Helve may:\n",
        "  [r]ead only    change [f]iles (accept-edits)    do [e]verything (full)\n", "Choose [R/f/e]: "));
    if (answer && (*answer == "f" || *answer == "accept-edits")) return Mode::kAcceptEdits;
    if (answer && (*answer == "e" || *answer == "full")) return Mode::kFull;
    return std::nullopt;
  }

  // Writes the home directory as ~.
  static std::string short_name(const std::string& path, const Places& places) {
    if (path.starts_with(places.workspace + "/")) return path.substr(places.workspace.size() + 1);
    if (path.starts_with(places.home + "/")) return concat("~", path.substr(places.home.size()));
    return path;
  }

  static int carry_out(const app::Invocation& shell, const Options& options, const Places& places,
                       const std::vector<InitStep>& steps, InitRecords& records) {
    const app::Printer& terminal = shell.terminal();
    const bool json = shell.options().json;
    JsonArray report;
    bool failed = false;
    bool unasked = false;
    bool agents = false;
    for (const InitStep& step : steps) {
      agents = agents || step.name != "settings";
      const std::string file = short_name(step.shown_file, places);
      Json entry = JsonObject{{"name", step.name}, {"file", step.shown_file}};
      std::optional<Error> problem = step.problem;
      std::string state = step.kind == InitStep::Kind::kRefused ? "refused" : "unchanged";
      if (step.changes()) {
        entry["diff"] = step.diff();
        if (!json) show(terminal, step, file);
        const std::optional<bool> wanted = is_wanted(options, step);
        if (wanted.value_or(false)) {
          if (auto applied = step.apply(records); !applied)
            problem = applied.error();
          else
            state = step.kind == InitStep::Kind::kAdd ? "added" : "removed";
        }
        if (problem) state = "refused";
        unasked = unasked || !wanted;
      }
      if (!json) tell(terminal, options, step, file, state, problem);
      failed = failed || problem.has_value();
      entry["state"] = state;
      if (!step.note.empty()) entry["note"] = step.note;
      if (problem) entry["problem"] = problem->message;
      report.push_back(std::move(entry));
    }
    if (json) shell.print_json(report);
    if (!json && !agents) terminal.out("No supported agent was found. helve init --help lists them.\n");
    if (unasked)
      return shell.report(
          {ErrorCode::kUnavailable, "There is no terminal to ask on, so nothing more was changed.",
           "Review the changes above, then run it again with --yes."},
          app::kUsage);
    return failed ? app::kSetup : app::kOk;
  }

  // Empty if only the user can decide.
  static std::optional<bool> is_wanted(const Options& options, const InitStep& step) {
    if (options.dry_run) return false;
    if (options.yes) return true;
    // Without a terminal, writing the settings file needs no answer: it contains only comments.
    if (step.name == "settings")
      return app::ask_yes_or_no(step.kind == InitStep::Kind::kAdd ? "Write this file? [y/N] "
                                                                  : "Remove this file? [y/N] ")
          .value_or(true);
    return app::ask_yes_or_no(step.kind == InitStep::Kind::kAdd
                                  ? concat("Add Helve to ", step.title, "? [y/N] ")
                                  : concat("Remove Helve from ", step.title, "? [y/N] "));
  }

  // The file is all comments, so its text is not shown.
  static std::string about_settings(const InitStep& step) {
    if (step.kind != InitStep::Kind::kAdd) return "The file is as helve init wrote it.";
    return concat("A new file of ",
                  count_of(static_cast<std::size_t>(std::ranges::count(step.after, '\n')), "line"),
                  ", all comments: the usual settings with their defaults.");
  }

  static void show(const app::Printer& terminal, const InitStep& step, const std::string& file) {
    terminal.out(concat(
        terminal.paint(terminal::Colour::kBold, concat(step.title, "  ", terminal::printable_line(file))),
        "\n"));
    if (step.name == "settings") return terminal.out(concat(about_settings(step), "\n"));
    const std::string diff = step.diff();
    for (const std::string_view line : split(diff, '\n')) {
      if (line.empty()) continue;
      const terminal::Colour colour = line.starts_with('+')   ? terminal::Colour::kGreen
                                      : line.starts_with('-') ? terminal::Colour::kRed
                                                              : terminal::Colour::kNone;
      std::string text = terminal::printable_line(line.substr(0, kLongestShown));
      if (line.size() > kLongestShown) text += concat(" … (", line.size(), " bytes)");
      terminal.out(concat(terminal.paint(colour, text), "\n"));
    }
  }

  static void tell(const app::Printer& terminal, const Options& options, const InitStep& step,
                   const std::string& file, const std::string& state, const std::optional<Error>& problem) {
    if (problem) {
      terminal.err(concat(terminal.paint_err(terminal::Colour::kRed, "error: "), step.title, ": ",
                          terminal::printable(problem->message), "\n"));
      if (!problem->hint.empty())
        terminal.err(concat(terminal.paint_err(terminal::Colour::kCyan, "hint: "),
                            terminal::printable(problem->hint), "\n"));
      return;
    }
    if (!step.changes()) {
      const std::string what =
          step.name == "settings" ? step.title : concat("Helve ", step.note, ": ", step.title);
      terminal.out(concat(what, step.name == "settings" ? concat(" ", step.note) : "", " (",
                          terminal::printable_line(file), ")\n"));
      return;
    }
    if (state == "added")
      terminal.out(step.name == "settings"
                       ? concat("Written. Edit it, then run helve config trust.\n")
                       : concat("Added. ", step.title, " will find it at its next start.\n"));
    else if (state == "removed")
      terminal.out("Removed.\n");
    else
      terminal.out(options.dry_run ? "Not changed: this is a dry run.\n" : "Not changed.\n");
  }
};

}  // namespace

std::unique_ptr<Command> make_init_command() { return std::make_unique<TypedCommand<Init>>(); }

}  // namespace helve::cli
