#include "chat/run_agent.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "app/printer.h"
#include "app/signals.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "chat/agent_setup.h"
#include "chat/background_commands.h"
#include "chat/chat_terminal.h"
#include "chat/stdin_answers.h"
#include "chat/tty_questions.h"

namespace helve::chat {
namespace {

// Prints a session's events on its own thread until finish(). `printer` and `events` must outlive it.
class EventPrinter {
 public:
  EventPrinter(const app::Printer& printer, const EventStream& events, AgentOutput output);
  EventPrinter(const EventPrinter&) = delete;
  EventPrinter& operator=(const EventPrinter&) = delete;
  ~EventPrinter();

  // Prints the remaining events and ends the thread.
  void finish();

 private:
  void follow(const std::stop_token& done);
  void print(const EventStream::Batch& batch);
  void print(const Event& event);
  void print_call(const ToolEvent& event);
  void note_failure(const ToolEvent& event);
  void print_denied() const;
  void print_unanswered() const;

  const app::Printer& printer_;
  const EventStream& events_;
  const AgentOutput output_;
  std::uint64_t seq_ = 0;
  std::string session_;  // the session's id
  std::string last_text_;
  std::map<std::string, std::string> params_;  // arguments by call id
  std::map<std::string, std::size_t> denied_;  // number of denied calls by tool
  std::vector<std::string> unanswered_;        // questions without an answer
  std::jthread follower_;
};

EventPrinter::EventPrinter(const app::Printer& printer, const EventStream& events, AgentOutput output)
    : printer_(printer),
      events_(events),
      output_(output),
      follower_([this](const std::stop_token& done) { follow(done); }) {}

EventPrinter::~EventPrinter() { finish(); }

void EventPrinter::finish() {
  if (!follower_.joinable()) return;
  follower_.request_stop();
  follower_.join();
}

void EventPrinter::follow(const std::stop_token& done) {
  while (!done.stop_requested()) print(events_.wait_after(seq_, done, std::chrono::seconds(1)));
  for (auto batch = events_.after(seq_); !batch.events.empty(); batch = events_.after(seq_)) print(batch);
  if (output_ == AgentOutput::kFinal && !last_text_.empty())
    printer_.out(concat(terminal::printable(last_text_), last_text_.ends_with('\n') ? "" : "\n"));
  if (output_ == AgentOutput::kFinal && !denied_.empty()) print_denied();
  if (output_ == AgentOutput::kFinal && !unanswered_.empty()) print_unanswered();
}

// With --print only the last text is shown, so failures are reported below it.
void EventPrinter::note_failure(const ToolEvent& event) {
  const bool asks = event.tool == "ask_user";
  if (asks && event.kind == ToolEvent::Kind::kStart) params_[event.call_id] = event.params;
  if (event.kind != ToolEvent::Kind::kError || !event.answer || event.answer->ok()) return;
  const ErrorCode code = event.answer->result.error().code;
  if (code == ErrorCode::kPermissionDenied) ++denied_[event.tool];
  if (!asks || code != ErrorCode::kUnavailable) return;
  const auto params = parse_json(params_[event.call_id]);
  const Json* question = params ? params->find("question") : nullptr;
  if (question != nullptr && question->is_string()) unanswered_.push_back(question->as_string());
}

void EventPrinter::print_unanswered() const {
  constexpr std::size_t kMost = 500;
  for (const std::string& question : unanswered_)
    printer_.err(concat(printer_.paint_err(terminal::Colour::kYellow, "warning: "),
                        "unanswered question: ", shortened(terminal::printable_line(question), kMost), "\n"));
  printer_.err(concat("Answer it with helve agent --resume ", session_,
                      " \"…\", or run without --print to be asked.\n"));
}

void EventPrinter::print_denied() const {
  std::vector<std::string> tools;
  std::size_t count = 0;
  for (const auto& [tool, calls] : denied_) {
    tools.push_back(terminal::printable_line(tool));
    count += calls;
  }
  printer_.err(concat(printer_.paint_err(terminal::Colour::kYellow, "warning: "), count_of(count, "call"),
                      count == 1 ? " was" : " were", " not allowed: ", join(tools, ", "),
                      ". To allow file changes use --mode accept-edits, for everything --mode full, for "
                      "single tools or commands the setting permissions.allow.\n"));
}

void EventPrinter::print(const EventStream::Batch& batch) {
  // A resumed stream does not start at 1; only a later gap is a loss.
  if (batch.missed > 0 && seq_ > 0 && output_ == AgentOutput::kEvents)
    printer_.out_json(to_text(JsonObject{{"event", "stream:missed"}, {"missed", batch.missed}}));
  for (const auto& event : batch.events) {
    print(*event);
    seq_ = event->seq;
  }
}

void EventPrinter::print(const Event& event) {
  if (event.session_id) session_ = *event.session_id;
  if (output_ == AgentOutput::kEvents) return printer_.out_json(to_text(event.to_json()));
  const auto* text = std::get_if<TextEvent>(&event.body);
  const bool whole = text != nullptr && text->kind == TextEvent::Kind::kFinal && !trim(text->content).empty();
  if (whole) last_text_ = text->content;
  const auto* call = std::get_if<ToolEvent>(&event.body);
  if (output_ == AgentOutput::kFinal) return call == nullptr ? void() : note_failure(*call);
  if (whole)
    printer_.out(concat(terminal::printable(text->content), text->content.ends_with('\n') ? "" : "\n"));
  if (call != nullptr) print_call(*call);
  if (const auto* error = std::get_if<ErrorEvent>(&event.body))
    printer_.err(concat(printer_.paint_err(terminal::Colour::kRed, "error: "),
                        terminal::printable_line(error->message), "\n"));
  if (const auto* end = std::get_if<EndEvent>(&event.body); end != nullptr && end->reason != "done")
    printer_.err(concat("The turn ended: ", end->reason, "\n"));
}

void EventPrinter::print_call(const ToolEvent& event) {
  constexpr std::size_t kMostParams = 120;
  constexpr std::size_t kMostSummary = 200;
  using Kind = ToolEvent::Kind;
  if (event.kind == Kind::kStart) params_[event.call_id] = event.params;
  if (event.kind != Kind::kEnd && event.kind != Kind::kError) return;
  const bool ok = event.kind == Kind::kEnd;
  const auto milliseconds = event.answer ? event.answer->execution_time_ms : 0;
  printer_.out(
      concat(printer_.paint(ok ? terminal::Colour::kGreen : terminal::Colour::kRed, ok ? "ok" : "failed"),
             "  ", terminal::printable_line(event.tool), " ",
             shortened(terminal::printable_line(params_[event.call_id]), kMostParams), "  ",
             printer_.paint(terminal::Colour::kDim, concat(milliseconds, " ms")), "  ",
             shortened(terminal::printable_line(event.response), kMostSummary), "\n"));
  params_.erase(event.call_id);
}

// --model and --rounds become settings.
app::Invocation with_options(const app::Invocation& shell, const AgentOptions& options) {
  app::GlobalOptions global = shell.options();
  if (!options.model.empty()) global.set.push_back(concat("model.name=", options.model));
  if (options.rounds) global.set.push_back(concat("agent.rounds=", *options.rounds));
  return {shell.terminal(), std::move(global)};
}

int exit_code_of(const agent::Ending& ending) {
  if (ending.is_done()) return app::kOk;
  if (ending.reason == "cancelled") return app::kInterrupted;
  return ending.reason == "error" ? app::kToolError : app::kStopped;
}

// The command that continues the session. After a limit it needs a message: without one the turn would stop
// at the same limit again.
std::string continue_command(const agent::Agent& agent, const agent::Ending& ending) {
  const bool at_limit = ending.reason == "round-limit" || ending.reason == "call-limit";
  const bool needs_text = !agent.can_continue() || ending.reason == "no-progress";
  return concat("helve agent --resume ", agent.id(), at_limit ? " \"Go on\"" : needs_text ? " \"…\"" : "");
}

// A program on stdin, the user at the terminal, or nobody.
AgentSetup::Responders responders_for(const AgentOptions& options,
                                      const std::shared_ptr<StdinAnswers>& on_stdin) {
  if (on_stdin) return {on_stdin, on_stdin};
  if (options.output != AgentOutput::kFinal && UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)))
    return {std::make_shared<TtyApprover>(), std::make_shared<TtyAsker>()};
  return {};
}

int run_turn(AgentSetup& setup, const AgentOptions& options, const std::stop_token& interrupted) {
  const app::Invocation& shell = setup.shell();
  const auto on_stdin = options.answers_on_stdin ? std::make_shared<StdinAnswers>(STDIN_FILENO) : nullptr;
  auto responders = responders_for(options, on_stdin);
  auto agent = options.resume ? setup.resume(options.session, std::move(responders))
                              : setup.begin(options.task, std::move(responders));
  if (!agent) return shell.report(agent.error(), app::kSetup);
  const auto command = setup.task_of(options.task);
  if (!command) return shell.report(command.error(), app::kSetup);
  for (const std::string& warning :
       agent::allow_tools_of_skill((*agent)->session(), command->skill, command->tools))
    if (!shell.options().quiet)
      shell.terminal().err(concat(shell.terminal().paint_err(terminal::Colour::kYellow, "warning: "),
                                  terminal::printable_line(warning), "\n"));
  const std::string& task = command->text;
  if (task.empty() && !(*agent)->can_continue())
    return shell.report(
        {ErrorCode::kInvalidArgument, concat("Session ", (*agent)->id(), " has nothing left to do."),
         concat("Say what to do next: helve agent --resume ", (*agent)->id(), " \"…\"")},
        app::kUsage);
  EventPrinter printer(shell.terminal(), (*agent)->session().events(), options.output);
  const auto listener =
      on_stdin ? on_stdin->listen((*agent)->session().events()) : Expected<std::jthread>(std::jthread());
  if (!listener) return shell.report(listener.error(), app::kToolError);
  const agent::Ending ending =
      task.empty() ? (*agent)->continue_turn(interrupted) : (*agent)->say(task, interrupted);
  printer.finish();
  // The other outputs have already printed the error event.
  if (options.output == AgentOutput::kFinal && ending.error)
    static_cast<void>(app::Invocation(shell.terminal(), {}).report(*ending.error, app::kToolError));
  const bool prints_notes = options.output != AgentOutput::kEvents && !shell.options().quiet;
  if (const auto running = running_commands(setup.runtime(), (*agent)->user_session());
      prints_notes && !running.empty())
    shell.terminal().err(concat(
        shell.terminal().paint_err(terminal::Colour::kYellow, terminal::printable_line(ended_text(running))),
        "\n"));
  const bool can_continue =
      options.output == AgentOutput::kLog || (options.output == AgentOutput::kFinal && !ending.is_done());
  if (can_continue && prints_notes)
    shell.terminal().err(
        concat(shell.terminal().paint_err(
                   terminal::Colour::kDim,
                   concat("session ", (*agent)->id(), "; continue with ", continue_command(**agent, ending))),
               "\n"));
  return exit_code_of(ending);
}

}  // namespace

int run_agent(const app::Invocation& shell, const AgentOptions& options) {
  const app::ResizeSignals resizes;        // before the first thread starts
  const app::InterruptWatcher interrupts;  // likewise
  AgentSetup setup(with_options(shell, options), interrupts.token());
  const auto resumed = options.resume ? std::optional(options.session) : std::nullopt;
  if (auto ready = setup.prepare(resumed); !ready) return shell.report(ready.error(), app::kSetup);
  if (options.interactive) return ChatTerminal(setup, resizes, interrupts.token()).run(options);
  return run_turn(setup, options, interrupts.token());
}

}  // namespace helve::chat
