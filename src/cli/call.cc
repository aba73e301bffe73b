#include "cli/call.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/mcp_servers.h"
#include "cli/terminal_approver.h"

namespace helve::cli {
namespace {

// Turns SIGINT, SIGTERM and SIGHUP into a stop request while it lives. The second one ends the program at
// once.
class InterruptWatcher {
 public:
  InterruptWatcher() {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action{};
      // What the parent made us ignore (nohup) stays ignored.
      if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(&signals_, number);
    }
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    arrivals_ = UniqueFd(::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
    wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
  }
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;
  ~InterruptWatcher() {
    watcher_.request_stop();
    ::eventfd_write(wake_.get(), 1);  // ends the wait at once
    watcher_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  [[nodiscard]] std::stop_token token() const { return interrupted_.get_token(); }

 private:
  void watch(const std::stop_token& done) {
    constexpr int kPatienceMs = 100;  // should the wake-up fail
    while (!done.stop_requested()) {
      std::array<pollfd, 2> ready{{{arrivals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
      if (::poll(ready.data(), ready.size(), kPatienceMs) <= 0 || ready[0].revents == 0) continue;
      signalfd_siginfo arrived{};
      if (::read(arrivals_.get(), &arrived, sizeof arrived) != sizeof arrived) continue;
      if (!interrupted_.request_stop()) {
        std::signal(static_cast<int>(arrived.ssi_signo), SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
        std::raise(static_cast<int>(arrived.ssi_signo));
      }
    }
  }

  sigset_t signals_;
  sigset_t before_;
  UniqueFd arrivals_;
  UniqueFd wake_;
  std::stop_source interrupted_;
  std::jthread watcher_;
};

void print_for_people(const Shell& shell, const Answer& answer) {
  const Terminal& terminal = shell.terminal();
  const Output& output = *answer.result;
  const std::string& text = output.content.empty() ? output.summary : output.content;
  terminal.out(concat(printable(text), text.ends_with('\n') ? "" : "\n"));
  // Some contents begin with what the summary says, and once is enough.
  if (!shell.options().quiet && !output.summary.empty() && !text.starts_with(output.summary))
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

int make_call(const Shell& shell, std::string tool, Json arguments, CallForm form) {
  // Without a terminal there is nobody to ask.
  const bool has_terminal = static_cast<bool>(UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)));
  auto runtime = shell.runtime(
      Mode::kFull, has_terminal ? std::make_shared<TerminalApprover>() : std::shared_ptr<TerminalApprover>());
  if (!runtime) {
    if (!shell.prints_for_people()) shell.print_json(Answer{.result = fail(runtime.error())}.to_json());
    return shell.options().json ? kSetup : shell.report(runtime.error(), kSetup);
  }
  const InterruptWatcher interrupts;
  const auto gateway = gateway_for_tool(shell, **runtime, tool, interrupts.token());
  const Answer answer = (*runtime)->call(
      {.tool = std::move(tool), .arguments = std::move(arguments), .stop = interrupts.token()});
  const int code = print_answer(shell, answer);
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
