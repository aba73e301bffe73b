// helve init: sets up a workspace, and adds Helve to the agents of this machine.
#include <fcntl.h>
#include <termios.h>

#include <algorithm>
#include <array>

#include "base/environment.h"
#include "base/file_io.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "cli/command.h"
#include "cli/init_plan.h"
#include "cli/init_settings.h"
#include "cli/terminal_line.h"
#include "core/directories.h"

namespace helve::cli {
namespace {

constexpr std::size_t kLongestShown = 400;  // some programs keep everything on one

enum class AgentName { kClaude, kCodex, kGemini, kVscode, kCursor, kOpencode, kZed };
constexpr auto enum_names(AgentName) {
  return std::to_array<std::string_view>(
      {"claude", "codex", "gemini", "vscode", "cursor", "opencode", "zed"});
}

// "helve" when that finds this very program, so that an update of it is used.
std::string program_to_write() {
  const auto self = real_path("/proc/self/exe");
  const auto in_path = find_program("helve");
  const auto found = in_path ? real_path(*in_path) : fail(ErrorCode::kNotFound, "");
  if (!self || (found && *found == *self)) return "helve";
  return *self;
}

Expected<Places> find_places(const Shell& shell) {
  Places places{.home = home_directory(), .config_home = environment_variable("XDG_CONFIG_HOME")};
  if (places.home.empty()) return fail(ErrorCode::kUnavailable, "There is no home directory.", "Set HOME.");
  if (!places.config_home.starts_with('/')) places.config_home = places.home + "/.config";
  auto workspace = shell.workspace();
  if (!workspace) return fail(workspace.error());
  places.workspace = *std::move(workspace);
  places.helve = program_to_write();
  return places;
}

// Nothing: there is nobody to ask.
std::optional<bool> ask_person(const std::string& question) {
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return std::nullopt;
  ::tcflush(terminal.get(), TCIFLUSH);  // what was typed before the question is no answer to it
  if (!write_all(terminal.get(), question)) return std::nullopt;
  const std::string answer = to_lower(trim(read_line(terminal.get(), {})));
  return answer == "y" || answer == "yes";
}

struct Init {
  static constexpr std::string_view kName = "init";
  static constexpr std::string_view kSummary = "Set up a folder, and add Helve to the agents on this machine";
  static constexpr std::string_view kDetails =
      "helve init                 offer to write .helve/config.toml and to add Helve to each agent that is "
      "here\n"
      "helve init claude codex    only to these, whether they are here or not\n"
      "helve init --dry-run       show what would change\n"
      "helve init --remove        take back what it changed; with agents, only there\n"
      "\n"
      "Every change of an agent's file is shown first, as a diff; of the folder's new file, which is all\n"
      "comments, how long it is. At a terminal you are asked about each. A change is made in one step, the\n"
      "rest of a file stays as it is, and a file that cannot be read is left alone. The folder's settings\n"
      "count once you run helve config trust.";
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
                 "claude, codex, gemini, vscode, cursor, opencode or zed, instead of those that are here.");
      p.optional("yes", yes, "Make the changes without asking.");
      p.optional("dryRun", dry_run, "Only show what would change.");
      p.optional("remove", remove, "Take Helve out again, and what else init has written.");
      p.optional("project", project,
                 "Use the agents' files in this folder, for everybody who works in it, instead of your own.");
      p.optional("settings", settings, "Write the folder's settings file.");
    }
  };

  int run(const Shell& shell, const Options& options) const {
    const auto places = find_places(shell);
    if (!places) return shell.report(places.error(), kSetup);
    const auto state = default_state_directory();
    if (!state) return shell.report(state.error(), kSetup);
    InitRecords records(*state);
    if (auto loaded = records.load(); !loaded) return shell.report(loaded.error(), kSetup);
    const auto steps = plan(options, *places, records);
    if (!steps) return shell.report(steps.error(), kSetup);
    return carry_out(shell, options, *places, *steps, records);
  }

 private:
  static Expected<std::vector<InitStep>> plan(const Options& options, const Places& places,
                                              const InitRecords& records) {
    std::vector<InitStep> steps;
    const std::string settings_file = places.workspace + "/.helve/config.toml";
    if (options.settings && options.remove && options.agents.empty())
      steps.push_back(plan_settings_removal(settings_file, records));
    if (options.settings && !options.remove) {
      const auto defaults = load_config({});
      if (!defaults) return fail(defaults.error());
      steps.push_back(plan_settings(settings_file, settings_template(*defaults)));
    }
    for (const McpClient& client : known_clients(places)) {
      const bool named =
          std::ranges::any_of(options.agents, [&](AgentName name) { return name_of(name) == client.name; });
      if (options.agents.empty() ? !client.is_here() : !named) continue;
      if (!options.remove) {
        steps.push_back(plan_client(client, client.file(options.project), places));
        continue;
      }
      // From wherever it is, unless one kind of file is meant.
      if (!client.prefers_project && !options.project)
        steps.push_back(plan_client_removal(client, client.user_file, records));
      InitStep in_project = plan_client_removal(client, client.project_file, records);
      if (options.project || client.prefers_project || in_project.kind == InitStep::Kind::kRemove)
        steps.push_back(std::move(in_project));
    }
    return steps;
  }

  // The home directory as people write it.
  static std::string short_name(const std::string& path, const Places& places) {
    if (path.starts_with(places.workspace + "/")) return path.substr(places.workspace.size() + 1);
    if (path.starts_with(places.home + "/")) return concat("~", path.substr(places.home.size()));
    return path;
  }

  static int carry_out(const Shell& shell, const Options& options, const Places& places,
                       const std::vector<InitStep>& steps, InitRecords& records) {
    const Terminal& terminal = shell.terminal();
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
    if (!json && !agents)
      terminal.out("No agent was found here that could use Helve. helve init --help names those it knows.\n");
    if (unasked)
      return shell.report(
          {ErrorCode::kUnavailable, "There is no terminal to ask at, so nothing more was changed.",
           "Look at the changes above, then run it again with --yes."},
          kUsage);
    return failed ? kSetup : kOk;
  }

  // Nothing: a person would have to say.
  static std::optional<bool> is_wanted(const Options& options, const InitStep& step) {
    if (options.dry_run) return false;
    if (options.yes) return true;
    // A new file of comments in the folder that was named is what was asked for, where nobody can be asked.
    if (step.name == "settings")
      return ask_person(step.kind == InitStep::Kind::kAdd ? "Write this file? [y/N] "
                                                          : "Remove this file? [y/N] ")
          .value_or(true);
    return ask_person(step.kind == InitStep::Kind::kAdd
                          ? concat("Add Helve to ", step.title, "? [y/N] ")
                          : concat("Take Helve out of ", step.title, "? [y/N] "));
  }

  // Nothing in it counts before somebody edits it, so it is to be read there.
  static std::string about_settings(const InitStep& step) {
    if (step.kind != InitStep::Kind::kAdd) return "The file is as helve init wrote it.";
    return concat("A new file of ",
                  count_of(static_cast<std::size_t>(std::ranges::count(step.after, '\n')), "line"),
                  ", all comments: the usual settings with their defaults.");
  }

  static void show(const Terminal& terminal, const InitStep& step, const std::string& file) {
    terminal.out(concat(terminal.paint(Colour::kBold, concat(step.title, "  ", printable_line(file))), "\n"));
    if (step.name == "settings") return terminal.out(concat(about_settings(step), "\n"));
    const std::string diff = step.diff();
    for (const std::string_view line : split(diff, '\n')) {
      if (line.empty()) continue;
      const Colour colour = line.starts_with('+')   ? Colour::kGreen
                            : line.starts_with('-') ? Colour::kRed
                                                    : Colour::kNone;
      std::string text = printable_line(line.substr(0, kLongestShown));
      if (line.size() > kLongestShown) text += concat(" … (", line.size(), " bytes)");
      terminal.out(concat(terminal.paint(colour, text), "\n"));
    }
  }

  static void tell(const Terminal& terminal, const Options& options, const InitStep& step,
                   const std::string& file, const std::string& state, const std::optional<Error>& problem) {
    if (problem) {
      terminal.err(concat(terminal.paint_err(Colour::kRed, "error: "), step.title, ": ",
                          printable(problem->message), "\n"));
      if (!problem->hint.empty())
        terminal.err(concat(terminal.paint_err(Colour::kCyan, "hint: "), printable(problem->hint), "\n"));
      return;
    }
    if (!step.changes()) {
      const std::string what =
          step.name == "settings" ? step.title : concat("Helve ", step.note, ": ", step.title);
      terminal.out(concat(what, step.name == "settings" ? concat(" ", step.note) : "", " (",
                          printable_line(file), ")\n"));
      return;
    }
    if (state == "added")
      terminal.out(step.name == "settings"
                       ? concat("Written. Edit it, then run helve config trust for it to count.\n")
                       : concat("Added. ", step.title, " finds it at its next start.\n"));
    else if (state == "removed")
      terminal.out("Removed.\n");
    else
      terminal.out(options.dry_run ? "Not changed: this is a dry run.\n" : "Not changed.\n");
  }
};

}  // namespace

std::unique_ptr<Command> make_init_command() { return std::make_unique<TypedCommand<Init>>(); }

}  // namespace helve::cli
