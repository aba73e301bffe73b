#include "cli/agent_run.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/agent_setup.h"
#include "cli/agent_terminal.h"
#include "cli/background_commands.h"
#include "cli/interrupt_watcher.h"
#include "cli/line_people.h"
#include "cli/terminal_approver.h"
#include "cli/terminal_asker.h"

namespace helve::cli {
namespace {

// The person's wishes on the command line are settings like any other.
Shell with_order(const Shell& shell, const AgentOrder& order) {
  GlobalOptions options = shell.options();
  if (!order.model.empty()) options.set.push_back(concat("model.name=", order.model));
  if (order.rounds) options.set.push_back(concat("agent.rounds=", *order.rounds));
  return {shell.terminal(), std::move(options)};
}

int exit_code_of(const agent::Ending& ending) {
  if (ending.is_done()) return kOk;
  if (ending.reason == "cancelled") return kInterrupted;
  return ending.reason == "error" ? kToolError : kStopped;
}

// How the session goes on, as one would type it. With nothing said a turn that met the limit would meet it
// again.
std::string go_on_command(const agent::Agent& agent, const agent::Ending& ending) {
  const bool at_limit = ending.reason == "round-limit" || ending.reason == "call-limit";
  const bool needs_words = !agent.can_go_on() || ending.reason == "no-progress";
  return concat("helve agent --resume ", agent.id(), at_limit ? " \"Go on\"" : needs_words ? " \"…\"" : "");
}

// Who answers: a program on stdin, a person at the terminal, or nobody.
AgentSetup::People people_for(const AgentOrder& order, const std::shared_ptr<LinePeople>& on_stdin) {
  if (on_stdin) return {on_stdin, on_stdin};
  if (order.output != AgentOutput::kFinal && UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)))
    return {std::make_shared<TerminalApprover>(), std::make_shared<TerminalAsker>()};
  return {};
}

int run_turn(AgentSetup& setup, const AgentOrder& order, const std::stop_token& interrupted) {
  const Shell& shell = setup.shell();
  const auto on_stdin = order.answers_on_stdin ? std::make_shared<LinePeople>(STDIN_FILENO) : nullptr;
  auto people = people_for(order, on_stdin);
  auto agent = order.resume ? setup.resume(order.session, std::move(people))
                            : setup.begin(order.task, std::move(people));
  if (!agent) return shell.report(agent.error(), kSetup);
  const auto command = setup.task_of(order.task);
  if (!command) return shell.report(command.error(), kSetup);
  agent::allow_tools_of_skill((*agent)->session(), command->skill, command->allowed_tools);
  const std::string& task = command->text;
  if (task.empty() && !(*agent)->can_go_on())
    return shell.report({ErrorCode::kInvalidArgument, concat("The session ", (*agent)->id(), " is through."),
                         concat("Say what to do next: helve agent --resume ", (*agent)->id(), " \"…\"")},
                        kUsage);
  AgentPrinter printer(shell.terminal(), (*agent)->session().events(), order.output);
  const std::jthread listener = on_stdin ? on_stdin->listen((*agent)->session().events()) : std::jthread();
  const agent::Ending ending = task.empty() ? (*agent)->go_on(interrupted) : (*agent)->say(task, interrupted);
  printer.finish();
  // In the log the events have said it already, and in the JSON they are the answer.
  if (order.output == AgentOutput::kFinal && ending.error)
    static_cast<void>(Shell(shell.terminal(), {}).report(*ending.error, kToolError));
  const bool talks = order.output != AgentOutput::kEvents && !shell.options().quiet;
  if (const auto running = running_commands(setup.runtime(), (*agent)->person_session());
      talks && !running.empty())
    shell.terminal().err(
        concat(shell.terminal().paint_err(Colour::kYellow, printable_line(ended_text(running))), "\n"));
  const bool goes_on =
      order.output == AgentOutput::kLog || (order.output == AgentOutput::kFinal && !ending.is_done());
  if (goes_on && talks)
    shell.terminal().err(
        concat(shell.terminal().paint_err(Colour::kDim, concat("session ", (*agent)->id(), "; go on with ",
                                                               go_on_command(**agent, ending))),
               "\n"));
  return exit_code_of(ending);
}

}  // namespace

int run_agent(const Shell& shell, const AgentOrder& order) {
  const ResizeSignals resizes;        // before anything starts a thread
  const InterruptWatcher interrupts;  // the same
  AgentSetup setup(with_order(shell, order), interrupts.token());
  const auto resumed = order.resume ? std::optional(order.session) : std::nullopt;
  if (auto ready = setup.prepare(resumed); !ready) return shell.report(ready.error(), kSetup);
  if (order.interactive) return AgentTerminal(setup, resizes, interrupts.token()).run(order);
  return run_turn(setup, order, interrupts.token());
}

}  // namespace helve::cli
