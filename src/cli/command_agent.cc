// helve agent: runs a model with the tools, interactively or for one task.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "chat/run_agent.h"
#include "cli/command.h"

namespace helve::cli {
namespace {

bool could_be_id(std::string_view word) {
  return word != "-" && std::ranges::all_of(word, [](char c) { return is_word_character(c) || c == '-'; });
}

struct AgentCommand {
  static constexpr std::string_view kName = "agent";
  static constexpr std::string_view kSummary = "Run a model on a task with the tools";
  static constexpr std::string_view kDetails =
      "helve agent                          chat at the terminal; /help lists its commands\n"
      "helve agent \"fix the failing test\"   start the chat with a task; in a pipe, only run it\n"
      "helve agent --print \"…\"               print only the last reply; deny what needs approval\n"
      "helve agent --json \"…\"                print events, one per line; --answers reads answers on stdin\n"
      "helve agent - <task.md               the task from stdin\n"
      "helve agent \"/name …\"                 use the skill of that name\n"
      "helve agent --resume                 finish the newest session's interrupted turn\n"
      "helve agent --resume \"and now …\"      continue it; a single word is a session id\n"
      "helve agent --resume ID \"and now …\"   continue another session\n"
      "Esc or Ctrl-C interrupts the turn; in a pipe, a second Ctrl-C quits. Exit code: 0 done, 1 error,\n"
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
      p.optional("task", task, "The task, or - for stdin; after --resume a session id may come first.");
      p.optional("resume", resume, "Continue an earlier session.");
      p.optional("print", print, "Print only the model's last reply.");
      p.optional("answers", answers,
                 "With --json: read approvals and answers from stdin, one JSON object per line.");
      p.optional("model", model, "Model to use instead of model.name.");
      p.optional("maxTurns", max_turns, "Most replies of the model.", {.min = 1, .max = 100'000});
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    chat::AgentOptions order{.resume = options.resume,
                             .model = options.model,
                             .rounds = options.max_turns,
                             .output = shell.options().json ? chat::AgentOutput::kEvents
                                       : options.print      ? chat::AgentOutput::kFinal
                                                            : chat::AgentOutput::kLog,
                             .answers_on_stdin = options.answers && shell.options().json};
    if (options.answers && !shell.options().json)
      return shell.report({ErrorCode::kInvalidArgument, "--answers needs --json.",
                           "Add --json, or remove --answers to be asked on the terminal."},
                          app::kUsage);
    std::vector<std::string> words = options.task;
    if (options.resume && !words.empty() && could_be_id(words.front())) {
      // A single word is an id: a mistyped id must not become a message to the newest session.
      if (!words.front().starts_with("ses_"))
        return shell.report(
            {ErrorCode::kInvalidArgument, concat("\"", words.front(), "\" is not the id of a session."),
             concat("List ids with helve sessions list. To send a message: helve agent --resume ID ",
                    shell_quoted(join(words, " ")))},
            app::kUsage);
      order.session = words.front();
      words.erase(words.begin());
    }
    order.task = join(words, " ");
    if (order.task == "-") {
      if (order.answers_on_stdin)
        return shell.report({ErrorCode::kInvalidArgument, "Task and answers cannot both come from stdin.",
                             "Pass the task on the command line."},
                            app::kUsage);
      auto text = read_all(STDIN_FILENO, std::size_t{4} << 20);
      if (!text) return shell.report(text.error(), app::kUsage);
      order.task = *std::move(text);
    }
    order.interactive = order.output == chat::AgentOutput::kLog && ::isatty(STDIN_FILENO) != 0 &&
                        ::isatty(STDOUT_FILENO) != 0;
    if (trim(order.task).empty() && !order.resume && !order.interactive)
      return shell.report(
          {ErrorCode::kInvalidArgument, "There is no task.",
           "Pass one: helve agent \"fix the failing test\", or continue a session with --resume."},
          app::kUsage);
    return chat::run_agent(shell, order);
  }
};

}  // namespace

std::unique_ptr<Command> make_agent_command() { return std::make_unique<TypedCommand<AgentCommand>>(); }

}  // namespace helve::cli
