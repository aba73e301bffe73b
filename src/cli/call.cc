#include "cli/call.h"

#include <csignal>
#include <thread>

#include "base/strings.h"
#include "cli/terminal_approver.h"

namespace helve::cli {
namespace {

// Turns SIGINT and SIGTERM into a stop request while it lives.
class InterruptWatcher {
 public:
  InterruptWatcher() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    watcher_ = std::jthread([this](const std::stop_token& done) {
      const timespec pause{0, 50'000'000};
      while (!done.stop_requested())
        if (sigtimedwait(&signals_, nullptr, &pause) > 0) interrupted_.request_stop();
    });
  }
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;
  ~InterruptWatcher() {
    watcher_.request_stop();
    pthread_kill(watcher_.native_handle(), SIGHUP);  // ends the wait at once
    watcher_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  [[nodiscard]] std::stop_token token() const { return interrupted_.get_token(); }

 private:
  sigset_t signals_;
  sigset_t before_;
  std::stop_source interrupted_;
  std::jthread watcher_;
};

void print_for_people(const Shell& shell, const Answer& answer) {
  const Terminal& terminal = shell.terminal();
  const Output& output = *answer.result;
  const std::string& text = output.content.empty() ? output.summary : output.content;
  terminal.out(concat(printable(text), text.ends_with('\n') ? "" : "\n"));
  if (!shell.options().quiet && !output.content.empty() && !output.summary.empty())
    terminal.err(concat(terminal.paint_err(Colour::kDim, printable(output.summary)), "\n"));
}

}  // namespace

int print_answer(const Shell& shell, const Answer& answer) {
  if (!shell.prints_for_people())
    shell.print_json(answer.to_json());
  else if (answer.ok())
    print_for_people(shell, answer);
  else
    shell.report(answer.result.error(), kToolError);
  return answer.ok() ? kOk : kToolError;
}

int make_call(const Shell& shell, std::string tool, Json arguments) {
  auto runtime = shell.runtime(Mode::kFull, std::make_shared<TerminalApprover>());
  if (!runtime) return shell.report(runtime.error(), kSetup);
  const InterruptWatcher interrupts;
  const Answer answer = (*runtime)->call(
      {.tool = std::move(tool), .arguments = std::move(arguments), .stop = interrupts.token()});
  const int code = print_answer(shell, answer);
  return interrupts.token().stop_requested() ? kInterrupted : code;
}

}  // namespace helve::cli
