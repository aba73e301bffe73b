// helve sessions: lists, shows, resumes, exports, replays and deletes agent sessions.
#include <algorithm>
#include <array>

#include "agent/export.h"
#include "agent/journal.h"
#include "agent/replay.h"
#include "app/signals.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "chat/agent_setup.h"
#include "chat/run_agent.h"
#include "cli/command.h"
#include "core/session_files.h"
#include "settings/directories.h"

namespace helve::cli {
namespace {

enum class SessionsAction { kList, kFind, kShow, kResume, kExport, kReplay, kDelete };
constexpr auto enum_names(SessionsAction) {
  return std::to_array<std::string_view>({"list", "find", "show", "resume", "export", "replay", "delete"});
}
enum class ExportFormat { kMarkdown, kJson };
constexpr auto enum_names(ExportFormat) { return std::to_array<std::string_view>({"markdown", "json"}); }

constexpr std::size_t kLongestShown = 200;

struct SessionsCommand {
  static constexpr std::string_view kName = "sessions";
  static constexpr std::string_view kSummary =
      "List, find, show, resume, export, replay or delete agents' sessions";
  static constexpr std::string_view kDetails =
      "helve sessions list            sessions of this workspace, newest first; --all: every workspace\n"
      "helve sessions find WORDS      what was asked, run and changed, and in which session; --all: "
      "anywhere\n"
      "helve sessions show ID         the conversation and its calls\n"
      "helve sessions resume ID       finish its interrupted turn, like helve agent --resume ID\n"
      "helve sessions export ID       print as Markdown, or --format json\n"
      "helve sessions replay ID       makes its calls again and compares the results; changes what they "
      "change\n"
      "helve sessions delete ID       delete it";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "id", "words"});

  struct Options {
    SessionsAction action = SessionsAction::kList;
    std::string id;
    std::vector<std::string> words;
    ExportFormat format = ExportFormat::kMarkdown;
    bool all = false;
    int most = 50;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("id", id, "The session; for find, the first word.");
      p.optional("words", words, "find: more words.");
      p.optional("format", format, "What export writes.");
      p.optional("all", all, "list, find: also the sessions of other workspaces.");
      p.optional("most", most, "list, find: how many at most.", {.min = 1, .max = 10'000});
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    if (options.action == SessionsAction::kResume)
      return chat::run_agent(
          shell, {.resume = true,
                  .session = options.id,
                  .output = shell.options().json ? chat::AgentOutput::kEvents : chat::AgentOutput::kLog});
    const auto store = chat::open_sessions();
    if (!store) return shell.report(store.error(), app::kSetup);
    store::SessionRecords& records = (*store)->sessions();
    if (options.action == SessionsAction::kList) return list(shell, records, options);
    if (options.id.empty()) return shell.report(nothing_named(options.action), app::kUsage);
    if (options.action == SessionsAction::kFind) return find(shell, (*store)->history(), options);
    const auto record = records.load(options.id);
    if (!record) return shell.report(record.error(), app::kToolError);
    if (options.action == SessionsAction::kDelete) return remove(shell, records, *record);
    const auto entries = agent::load_entries(records, options.id);
    if (!entries) return shell.report(entries.error(), app::kToolError);
    if (options.action == SessionsAction::kReplay) return replay(shell, *entries);
    const bool json = shell.options().json ||
                      (options.action == SessionsAction::kExport && options.format == ExportFormat::kJson);
    if (json)
      shell.print_json(agent::to_export_json(*record, *entries));
    else
      shell.terminal().out(terminal::printable(agent::to_markdown(*record, *entries)));
    return app::kOk;
  }

 private:
  static Error nothing_named(SessionsAction action) {
    if (action == SessionsAction::kFind)
      return {ErrorCode::kInvalidArgument, "helve sessions find needs search words.",
              "For example a file name, or \"parse json\" for entries with both words."};
    return {ErrorCode::kInvalidArgument,
            concat("helve sessions ", name_of(action), " needs the id of a session."),
            "List them with helve sessions list."};
  }

  // Empty for all workspaces.
  static Expected<std::string> workspace_of(const app::Invocation& shell, const Options& options) {
    if (options.all) return std::string();
    auto path = shell.workspace();
    if (!path) path.error().hint += " Use --all for all workspaces, including deleted ones.";
    return path;
  }

  static int find(const app::Invocation& shell, store::HistoryIndex& index, const Options& options) {
    const auto workspace = workspace_of(shell, options);
    if (!workspace) return shell.report(workspace.error(), app::kSetup);
    const auto found = index.find({.workspace = *workspace,
                                   .query = concat(options.id, " ", join(options.words, " ")),
                                   .most = static_cast<std::size_t>(options.most)});
    if (!found) return shell.report(found.error(), app::kToolError);
    if (shell.options().json) {
      JsonArray all;
      for (const store::HistoryEntry& entry : *found)
        all.push_back(JsonObject{{"time", entry.time},
                                 {"session", entry.session},
                                 {"workspace", entry.workspace},
                                 {"kind", entry.action.kind},
                                 {"subject", entry.action.subject},
                                 {"text", entry.action.text}});
      shell.print_json(JsonObject{{"entries", std::move(all)}});
      return app::kOk;
    }
    const app::Printer& terminal = shell.terminal();
    if (found->empty())
      terminal.out(
          concat("Nothing with ", terminal::printable_line(options.id), " was asked, run or changed",
                 options.all ? ".\n" : " in this workspace; use --all to search every workspace.\n"));
    for (const store::HistoryEntry& entry : *found)
      terminal.out(concat(terminal.paint(terminal::Colour::kDim, entry.time.substr(0, 16)), "  ",
                          terminal.paint(terminal::Colour::kBold, entry.session), "  ", sign_of(entry.action),
                          terminal::printable_line(shortened(entry.action.text, kLongestShown)), "\n"));
    return app::kOk;
  }

  static std::string_view sign_of(const store::Action& action) {
    return action.kind == "prompt" ? "> " : action.kind == "command" ? "$ " : "";
  }

  static int list(const app::Invocation& shell, store::SessionRecords& records, const Options& options) {
    const auto workspace = workspace_of(shell, options);
    if (!workspace) return shell.report(workspace.error(), app::kSetup);
    const auto found =
        records.list({.workspace = *workspace, .most = static_cast<std::size_t>(options.most)});
    if (!found) return shell.report(found.error(), app::kToolError);
    if (shell.options().json) {
      JsonArray all;
      for (const store::SessionRecord& session : found->sessions)
        all.push_back(JsonObject{{"id", session.id},
                                 {"title", session.title},
                                 {"workspace", session.workspace},
                                 {"model", session.model},
                                 {"created", session.created},
                                 {"updated", session.updated}});
      shell.print_json(JsonObject{{"total", found->total}, {"sessions", std::move(all)}});
      return app::kOk;
    }
    const app::Printer& terminal = shell.terminal();
    if (found->sessions.empty())
      terminal.out(options.all ? "There are no sessions.\n" : "There are no sessions in this workspace.\n");
    for (const store::SessionRecord& session : found->sessions) {
      terminal.out(concat(terminal.paint(terminal::Colour::kBold, session.id), "  ",
                          terminal.paint(terminal::Colour::kDim, session.updated.substr(0, 16)), "  ",
                          terminal::printable_line(session.title)));
      if (options.all)
        terminal.out(concat(
            "  ", terminal.paint(terminal::Colour::kDim, terminal::printable_line(session.workspace))));
      terminal.out("\n");
    }
    return app::kOk;
  }

  static int remove(const app::Invocation& shell, store::SessionRecords& records,
                    const store::SessionRecord& record) {
    const auto state = settings::default_state_directory();
    if (!state) return shell.report(state.error(), app::kSetup);
    if (auto removed = core::remove_session_files(concat(core::sessions_directory(*state), "/", record.id));
        !removed)
      return shell.report(removed.error(), app::kToolError);
    if (auto removed = records.remove(record.id); !removed)
      return shell.report(removed.error(), app::kToolError);
    if (shell.options().json)
      shell.print_json(JsonObject{{"deleted", record.id}, {"title", record.title}});
    else if (!shell.options().quiet)
      shell.terminal().out(concat(record.id, " deleted: ", terminal::printable_line(record.title), "\n"));
    return app::kOk;
  }

  static int replay(const app::Invocation& shell, const std::vector<agent::Entry>& entries) {
    const app::InterruptWatcher interrupts;
    const auto runtime = shell.runtime();
    if (!runtime) return shell.report(runtime.error(), app::kSetup);
    const auto session = (*runtime)->open_session({});
    if (!session) return shell.report(session.error(), app::kSetup);
    const agent::ReplayReport report = agent::replay(entries, **runtime, *session, interrupts.token());
    if (shell.options().json)
      print_report(shell, report);
    else
      print_report(shell.terminal(), report);
    if (interrupts.token().stop_requested()) return app::kInterrupted;
    return report.differing() == 0 ? app::kOk : app::kToolError;
  }

  static void print_report(const app::Invocation& shell, const agent::ReplayReport& report) {
    JsonArray calls;
    for (const agent::ReplayedCall& call : report.calls)
      calls.push_back(JsonObject{{"tool", call.tool},
                                 {"arguments", call.arguments},
                                 {"same", call.same},
                                 {"recorded", call.recorded.content},
                                 {"now", call.now.content}});
    shell.print_json(JsonObject{
        {"differing", report.differing()}, {"leftOut", report.left_out}, {"calls", std::move(calls)}});
  }

  static void print_report(const app::Printer& terminal, const agent::ReplayReport& report) {
    constexpr std::size_t kMost = 1'000;
    for (const agent::ReplayedCall& call : report.calls) {
      terminal.out(concat(terminal.paint(call.same ? terminal::Colour::kGreen : terminal::Colour::kRed,
                                         call.same ? "same" : "differs"),
                          "  ", terminal::printable_line(call.tool), " ",
                          shortened(terminal::printable_line(call.arguments), 120), "\n"));
      if (call.same) continue;
      terminal.out(concat("  then: ", terminal::printable(shortened(call.recorded.content, kMost)),
                          "\n  now:  ", terminal::printable(shortened(call.now.content, kMost)), "\n"));
    }
    terminal.out(concat(count_of(report.calls.size(), "call"), ", ", report.differing(), " differing; ",
                        report.left_out, " had not run then\n"));
  }
};

}  // namespace

std::unique_ptr<Command> make_sessions_command() { return std::make_unique<TypedCommand<SessionsCommand>>(); }

}  // namespace helve::cli
