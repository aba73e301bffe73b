// helve agent: a model works on a task with the tools.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/agent_run.h"
#include "cli/command.h"

namespace helve::cli {
namespace {

bool could_be_id(std::string_view word) {
  return word != "-" && std::ranges::all_of(word, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-';
         });
}

struct AgentCommand {
  static constexpr std::string_view kName = "agent";
  static constexpr std::string_view kSummary = "Let a model work on a task with the tools";
  static constexpr std::string_view kDetails =
      "helve agent                          at a terminal: a prompt, turn after turn; /help there\n"
      "helve agent \"fix the failing test\"   the same, beginning with that; in a pipe, that alone\n"
      "helve agent --print \"…\"               only the model's last word; what would be asked is denied\n"
      "helve agent --json \"…\"                events, one per line; --answers takes answers from stdin\n"
      "helve agent - <task.md               the task from stdin\n"
      "helve agent \"/name …\"                 uses the skill of that name\n"
      "helve agent --resume                 finishes what the newest session here left unfinished\n"
      "helve agent --resume \"and now …\"      goes on with it; one word alone is an id\n"
      "helve agent --resume ID \"and now …\"   goes on with another\n"
      "Esc or Ctrl-C ends the turn; in a pipe, a second Ctrl-C the program. Exit code: 0 done, 1 error,\n"
      "2 usage, 3 setup, 4 stopped by a limit, 130 interrupted.";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"task"});

  struct Options {
    std::vector<std::string> task;
    bool resume = false;
    bool print = false;
    bool answers = false;
    std::string model;
    std::optional<int> max_turns;

    void describe(ParamSpec& p) {
      p.optional("task", task,
                 "What to do, or - for stdin; after --resume the id of a session may come first.");
      p.optional("resume", resume, "Go on with an earlier session.");
      p.optional("print", print, "Print only the model's last word.");
      p.optional("answers", answers,
                 "With --json: take approvals and answers from stdin, one JSON object per line.");
      p.optional("model", model, "The model to use instead of the setting's.");
      p.optional("maxTurns", max_turns, "Most replies of the model.", {.min = 1, .max = 100'000});
    }
  };

  int run(const Shell& shell, const Options& options) const {
    AgentOrder order{.resume = options.resume,
                     .model = options.model,
                     .rounds = options.max_turns,
                     .output = shell.options().json ? AgentOutput::kEvents
                               : options.print      ? AgentOutput::kFinal
                                                    : AgentOutput::kLog,
                     .answers_on_stdin = options.answers && shell.options().json};
    if (options.answers && !shell.options().json)
      return shell.report({ErrorCode::kInvalidArgument, "--answers needs --json.",
                           "Without it, questions are asked at the terminal."},
                          kUsage);
    std::vector<std::string> words = options.task;
    if (options.resume && !words.empty() && could_be_id(words.front())) {
      // One word is an id, so that a mistyped one is not said to whatever session is the newest.
      if (!words.front().starts_with("ses_"))
        return shell.report(
            {ErrorCode::kInvalidArgument, concat("\"", words.front(), "\" is no id of a session."),
             concat("helve sessions list has the ids. To say something: helve agent --resume ID ",
                    shell_quoted(join(words, " ")))},
            kUsage);
      order.session = words.front();
      words.erase(words.begin());
    }
    order.task = join(words, " ");
    if (order.task == "-") {
      if (order.answers_on_stdin)
        return shell.report({ErrorCode::kInvalidArgument, "Task and answers cannot both come from stdin.",
                             "Name the task on the command line."},
                            kUsage);
      auto text = read_all(STDIN_FILENO, std::size_t{4} << 20);
      if (!text) return shell.report(text.error(), kUsage);
      order.task = *std::move(text);
    }
    order.interactive =
        order.output == AgentOutput::kLog && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
    if (trim(order.task).empty() && !order.resume && !order.interactive)
      return shell.report({ErrorCode::kInvalidArgument, "There is nothing to do.",
                           "Say what: helve agent \"fix the failing test\", or --resume a session."},
                          kUsage);
    return run_agent(shell, order);
  }
};

}  // namespace

std::unique_ptr<Command> make_agent_command() { return std::make_unique<TypedCommand<AgentCommand>>(); }

}  // namespace helve::cli
