#include "cli/call.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/interrupt_watcher.h"
#include "cli/mcp_servers.h"
#include "cli/terminal_approver.h"
#include "core/session_state.h"
#include "core/state_upkeep.h"
#include "helve/session.h"

namespace helve::cli {
namespace {

void print_for_people(const Shell& shell, const Answer& answer, bool shown_live) {
  const Terminal& terminal = shell.terminal();
  const Output& output = *answer.result;
  const std::string& text = output.content.empty() && !shown_live ? output.summary : output.content;
  if (!text.empty()) terminal.out(concat(printable(text), text.ends_with('\n') ? "" : "\n"));
  // Some contents begin with what the summary says, and once is enough.
  if (!shell.options().quiet && !output.summary.empty() && !text.starts_with(output.summary))
    terminal.err(concat(terminal.paint_err(Colour::kDim, printable(output.summary)), "\n"));
}

}  // namespace

int print_answer(const Shell& shell, const Answer& answer, bool shown_live) {
  if (!shell.prints_for_people())
    shell.print_json(answer.to_json());
  else if (answer.ok())
    print_for_people(shell, answer, shown_live);
  else
    shell.report(answer.result.error(), kToolError);
  return answer.ok() ? kOk : kToolError;
}

int make_call(const Shell& shell, std::string tool, Json arguments, CallForm form) {
  // Without a terminal there is nobody to ask.
  const bool has_terminal = static_cast<bool>(UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)));
  auto runtime = shell.runtime(
      Mode::kFull, has_terminal ? std::make_shared<TerminalApprover>() : std::shared_ptr<TerminalApprover>(),
      tool);
  if (!runtime) {
    if (!shell.prints_for_people()) shell.print_json(Answer{.result = fail(runtime.error())}.to_json());
    return shell.options().json ? kSetup : shell.report(runtime.error(), kSetup);
  }
  bool shown_live = false;
  if (shell.prints_for_people() && shell.terminal().out_is_terminal())
    (*runtime)->default_session().state().commands.show_live([&](std::string_view text) {
      shown_live = true;
      shell.terminal().out(printable(text));
    });
  const InterruptWatcher interrupts;
  const auto gateway = gateway_for_tool(shell, **runtime, tool, interrupts.token());
  const Answer answer = (*runtime)->call(
      {.tool = std::move(tool), .arguments = std::move(arguments), .stop = interrupts.token()});
  const int code = print_answer(shell, answer, shown_live);
  tidy_state_if_due(state_places(**runtime), (*runtime)->settings());
  if (const Json* running = answer.ok() ? answer.result->data.find("running") : nullptr;
      running != nullptr && *running == Json(true) && !shell.options().quiet)
    shell.terminal().err(concat(shell.terminal().paint_err(Colour::kYellow, "warning: "),
                                "the command ends now, with this call; only a longer session can keep it\n"));
  if (interrupts.token().stop_requested()) return kInterrupted;
  const Json* command_code = answer.ok() ? answer.result->data.find("exitCode") : nullptr;
  return form == CallForm::kTool && command_code != nullptr && command_code->is_integer()
             ? static_cast<int>(command_code->as_integer())
             : code;
}

Expected<std::string> text_of_arguments(const std::string& given) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  if (given == "-") return read_all(STDIN_FILENO, kMost);
  if (!given.starts_with('@')) return given;
  // Blocking, so that a pipe such as <(…) works too.
  const UniqueFd file(::open(given.c_str() + 1, O_RDONLY | O_CLOEXEC));
  if (file) return read_all(file.get(), kMost);
  Error error = system_error(concat("Cannot open ", given.substr(1)), errno);
  error.hint = "Name an existing file after the @, or - for stdin.";
  return fail(std::move(error));
}

}  // namespace helve::cli
