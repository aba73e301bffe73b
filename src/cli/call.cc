#include "cli/call.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "app/progress_line.h"
#include "app/shared_approvals.h"
#include "app/signals.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "chat/tty_questions.h"
#include "cli/call_hints.h"
#include "cli/exec_at_shell.h"
#include "cli/flags.h"
#include "cli/mcp_servers.h"
#include "core/offload.h"
#include "core/session_state.h"
#include "core/state_upkeep.h"
#include "helve/session.h"

namespace helve::cli {
namespace {

constexpr std::size_t kMostGiven = std::size_t{64} << 20;

// True if the text already begins with the summary, or ends with it in brackets.
bool says_summary(std::string_view text, const std::string& summary) {
  if (text.starts_with(summary)) return true;
  text = trim(text);
  text.remove_prefix(std::min(text.rfind('\n') + 1, text.size()));
  return text.size() > 2 && text.starts_with('(') && text.ends_with(')') &&
         to_lower(summary).starts_with(to_lower(text.substr(1, text.size() - 2)));
}

void print_for_people(const app::Invocation& shell, const Answer& answer, bool shown_live) {
  const app::Printer& terminal = shell.terminal();
  const Output& output = *answer.result;
  const std::string& text = output.content.empty() && !shown_live ? output.summary : output.content;
  if (!text.empty()) terminal.out(concat(terminal::printable(text), text.ends_with('\n') ? "" : "\n"));
  if (!shell.options().quiet && !output.summary.empty() && !says_summary(text, output.summary))
    terminal.err(
        concat(terminal.paint_err(terminal::Colour::kDim, terminal::printable(output.summary)), "\n"));
}

// The advice in the stub of a long result, in words of the shell.
void reword_stub(Output& output) {
  const Json* offloaded = output.data.find("offloaded");
  const std::string path = offloaded != nullptr ? text_in(*offloaded, "path") : std::string();
  if (path.empty()) return;
  output.content = replace_all(output.content, core::kOffloadAdvice,
                               concat("To see more: helve read ", shell_quoted(path),
                                      " --offset 1 --limit 200, or helve grep PATTERN ", shell_quoted(path)));
}

// The command's exit code as a shell reports it: 124 for a timeout, like timeout(1), and 128 plus the number
// of a signal. A command that waits for input has failed: it ends with the call.
int code_of_command(const Json& data, int otherwise) {
  const Json* code = data.find("exitCode");
  if (code == nullptr) return otherwise;
  if (code->is_integer()) return static_cast<int>(code->as_integer());
  if (const Json* late = data.find("timedOut"); late != nullptr && *late == Json(true)) return app::kTimedOut;
  const Json* signal = data.find("signal");
  return signal != nullptr && signal->is_integer() ? app::kSignalled + static_cast<int>(signal->as_integer())
                                                   : static_cast<int>(app::kToolError);
}

}  // namespace

int print_answer(const app::Invocation& shell, const Answer& answer, bool shown_live) {
  if (!shell.prints_for_people())
    shell.print_json(answer.to_json());
  else if (answer.ok())
    print_for_people(shell, answer, shown_live);
  else
    shell.report(answer.result.error(), app::kToolError);
  return answer.ok() ? app::kOk : app::kToolError;
}

int make_call(const app::Invocation& shell, std::string tool, Json arguments, CallForm form) {
  if (auto refused = refused_at_shell(tool, arguments)) {
    if (form == CallForm::kTool)
      for (const std::string_view name : {"background", "yieldMs"})
        refused->hint = replace_all(refused->hint, concat("Leave ", name), concat("Leave ", flag_name(name)));
    return print_answer(shell, {.result = fail(*std::move(refused)), .tool = std::move(tool)});
  }
  const app::InterruptWatcher interrupts;  // before any thread starts, which would receive the signals
  const bool has_terminal = static_cast<bool>(UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)));
  const app::SharedApprovals shared(concat("helve ", tool));
  auto runtime = shell.runtime(
      Mode::kFull, shared.around(has_terminal ? std::make_shared<chat::TtyApprover>() : nullptr), tool);
  if (!runtime) {
    if (!shell.prints_for_people())
      shell.print_json(Answer{.result = fail(runtime.error()), .tool = tool}.to_json());
    return shell.options().json ? app::kSetup : shell.report(runtime.error(), app::kSetup);
  }
  app::ProgressLine progress(shell.terminal(), shell.options().quiet);
  bool shown_live = false;
  if (shell.prints_for_people() && shell.terminal().out_is_terminal())
    (*runtime)->default_session().state().commands.show_live([&](std::string_view text) {
      if (!std::exchange(shown_live, true)) progress.end();
      shell.terminal().out(terminal::printable(text));
    });
  const auto gateway = gateway_for_tool(shell, **runtime, tool, interrupts.token());
  const auto known = (*runtime)->tools().find(tool);
  const bool for_people = known && shell.prints_for_people();
  std::optional<CallHints> hints;
  if (for_people) hints.emplace((*known)->definition, arguments, form);
  const bool stdin_is_left = form == CallForm::kTool && leaves_stdin(tool, arguments);
  const std::string name = tool;
  Answer answer = (*runtime)->call({.tool = std::move(tool),
                                    .resolved = known ? *known : nullptr,
                                    .arguments = std::move(arguments),
                                    .stop = interrupts.token(),
                                    .on_progress = [&](const Progress& report) { progress.report(report); },
                                    .on_start = [&](Effect effect) -> Expected<void> {
                                      if (effect != Effect::kAsk) progress.begin(name);
                                      return {};
                                    }});
  progress.end();
  if (!answer.ok() && hints) hints->reword(answer.result.error());
  const std::string above = hints ? hints->parent_directory_hint(answer.result, **runtime) : std::string();
  if (!answer.ok() && !above.empty()) answer.result.error().hint = above;
  auto waited_for_input = answer.ok() && known && (*known)->definition.name == "exec"
                              ? input_wait_error(*answer.result)
                              : std::optional<Error>();
  if (waited_for_input && !for_people) {
    waited_for_input->details = JsonObject{{"output", answer.result->content}};
    answer.result = fail(*waited_for_input);
  }
  if (answer.ok()) reword_stub(*answer.result);
  const int code = print_answer(shell, answer, shown_live);
  if (waited_for_input && for_people) shell.report(*waited_for_input, app::kToolError);
  if (answer.ok() && !above.empty() && !shell.options().quiet)
    shell.terminal().err(concat(shell.terminal().paint_err(terminal::Colour::kCyan, "hint: "),
                                terminal::printable(above), "\n"));
  if (stdin_is_left && answer.ok() && !waited_for_input && !shell.options().quiet && has_unread_stdin())
    shell.terminal().err(concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
                                "stdin was not passed to the command; use --stdin - to pass it\n"));
  core::tidy_state_if_due(core::state_places(**runtime), (*runtime)->settings());
  if (const Json* running = answer.ok() && !waited_for_input ? answer.result->data.find("running") : nullptr;
      running != nullptr && *running == Json(true) && !shell.options().quiet)
    shell.terminal().err(
        concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
               "the command ends with this call; only a longer session can keep it running\n"));
  if (interrupts.token().stop_requested()) return app::kInterrupted;
  return form == CallForm::kTool && answer.ok() ? code_of_command(answer.result->data, code) : code;
}

Expected<std::string> text_of_arguments(const std::string& given) {
  if (given == "-") return read_all(STDIN_FILENO, kMostGiven);
  if (!given.starts_with('@')) return given;
  // Opened blocking, so that a pipe such as <(…) works.
  const UniqueFd file(::open(given.c_str() + 1, O_RDONLY | O_CLOEXEC));
  if (file) return read_all(file.get(), kMostGiven);
  Error error = system_error(concat("Cannot open ", given.substr(1)), errno);
  error.hint = "Name an existing file after the @, or - for stdin.";
  return fail(std::move(error));
}

Expected<Json> json_arguments(const std::string& given, std::string_view example) {
  const auto text = text_of_arguments(given);
  if (!text) return fail(text.error());
  auto arguments = parse_json(*text);
  if (!arguments) arguments.error().hint = concat("Write the arguments as JSON: ", example);
  return arguments;
}

}  // namespace helve::cli
