#include "cli/snippet_upkeep.h"

#include "base/strings.h"
#include "store/restore.h"

namespace helve::cli {
namespace {

int too_many(const app::Invocation& shell, std::string_view action) {
  return shell.report(
      {ErrorCode::kInvalidArgument, concat("helve snippets ", action, " takes one file at most.")},
      app::kUsage);
}

}  // namespace

int back_up_store(const app::Invocation& shell, store::Store& store, const std::vector<std::string>& paths) {
  if (paths.size() > 1) return too_many(shell, "backup");
  const auto path = store.back_up(paths.empty() ? "" : paths.front());
  if (!path) return shell.report(path.error(), app::kToolError);
  if (shell.options().json)
    shell.print_json(JsonObject{{"path", *path}});
  else
    shell.terminal().out(concat(terminal::printable_line(*path), "\n"));
  return app::kOk;
}

int check_store(const app::Invocation& shell, store::Store& store) {
  const auto health = store.check();
  if (!health) return shell.report(health.error(), app::kToolError);
  if (shell.options().json) {
    shell.print_json(JsonObject{{"sound", health->problems.empty()},
                                {"problems", JsonArray(health->problems.begin(), health->problems.end())},
                                {"version", health->version},
                                {"snippets", health->snippets},
                                {"sessions", health->sessions},
                                {"bytes", health->bytes}});
    return health->problems.empty() ? app::kOk : app::kToolError;
  }
  const app::Printer& terminal = shell.terminal();
  if (health->problems.empty()) {
    terminal.out(concat(terminal.paint(terminal::Colour::kGreen, "sound"), ": ",
                        count_of(health->snippets, "snippet"), ", ", count_of(health->sessions, "session"),
                        ", ", with_thousands(health->bytes), " bytes\n"));
    return app::kOk;
  }
  for (const std::string& problem : health->problems)
    terminal.out(concat(terminal.paint(terminal::Colour::kRed, "problem"), ": ",
                        terminal::printable_line(problem), "\n"));
  terminal.err(concat(
      terminal.paint_err(terminal::Colour::kCyan, "hint: "),
      "Run helve snippets backup to copy the file as it is, then helve snippets restore to rebuild it from "
      "what can be read.\n"));
  return app::kToolError;
}

int restore_store(const app::Invocation& shell, const std::string& directory,
                  const std::vector<std::string>& paths, bool anew) {
  if (paths.size() > 1) return too_many(shell, "restore");
  const auto report = store::restore_database(
      {.directory = directory, .backup = paths.empty() ? "" : paths.front(), .anew = anew});
  if (!report) return shell.report(report.error(), app::kToolError);
  if (shell.options().json) {
    shell.print_json(JsonObject{{"backup", report->backup},
                                {"salvaged", report->salvaged},
                                {"replaced", report->replaced},
                                {"rows", report->rows},
                                {"unreadable", report->unreadable},
                                {"snippets", report->snippets},
                                {"sessions", report->sessions}});
    return app::kOk;
  }
  const app::Printer& terminal = shell.terminal();
  terminal.out(concat("restored  ", count_of(report->snippets, "snippet"), " and ",
                      count_of(report->sessions, "session"), "\n"));
  if (!report->backup.empty())
    terminal.out(concat("backup    ", terminal::printable_line(report->backup), "\n"));
  if (!report->salvaged.empty())
    terminal.out(concat("salvaged  ", count_of(report->rows, "row"), " of ",
                        terminal::printable_line(report->salvaged),
                        report->unreadable > 0 ? concat(", ", report->unreadable, " unreadable") : "", "\n"));
  if (!report->replaced.empty())
    terminal.out(concat("replaced  what is now ", terminal::printable_line(report->replaced), "\n"));
  return app::kOk;
}

}  // namespace helve::cli
