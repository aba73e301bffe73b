// Runs a command in the shell, in a sandbox.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/command_report.h"
#include "core/engines.h"
#include "core/live_output.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "helve/settings/exec.h"
#include "helve/tool.h"
#include "process/output_text.h"

namespace helve::tools {

struct Exec {
  static constexpr std::string_view kDescription =
      "Run a shell command and return its output and exit code.\n"
      "It runs in a sandbox that can write only the workspace and /tmp, and has no network unless the user "
      "allows it. undo reverts what it changed in the workspace. Processes it leaves behind are killed: "
      "start servers with background and manage them with process. Prefer read, grep, find and edit to "
      "cat, grep, find and sed.";
  static constexpr Effect kEffect = Effect::kExecute;
  static constexpr std::string_view kData =
      "{state: string, running: boolean, exitCode: integer|null, timedOut: boolean, stdout?: string, "
      "stderr?: string, sessionId?: string, outputPath?: string}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 5000;

  struct Params {
    std::string command;
    std::string cwd = ".";
    std::optional<int> timeout_ms;
    bool background = false;
    std::optional<int> yield_ms;
    std::optional<std::string> input;
    bool tty = false;

    void describe(ParamSpec& p) {
      p.required("command", command, "Shell command.", {.min_length = 1, .max_length = 100'000});
      p.optional("cwd", cwd, "Working directory, inside the workspace.", {.min_length = 1});
      p.optional("timeoutMs", timeout_ms, "Kill it after this time. Default 120000, at most one hour.",
                 {.min = 1, .max = 86'400'000});
      p.optional("background", background, "Return a sessionId at once.");
      p.optional("yieldMs", yield_ms, "Move it to the background if it runs longer than this.",
                 {.min = 1, .max = 86'400'000});
      p.optional("stdin", input, "Standard input.", {.whole_text = true});
      p.optional("tty", tty, "Run it in a terminal; only for programs that need one.");
    }
  };

  // The job has its own time limit; this one only has to be later.
  std::optional<std::chrono::milliseconds> time_limit(const Params& /*params*/) const {
    return std::chrono::hours(25);
  }
  Result foresee(Context& context, const Params& params) const;
  Result execute(Context& context, const Params& params) const;
};

namespace {

using std::chrono::milliseconds;
using Input = process::JobRequest::Input;

// The longest time that a command may run, and the setting that limits it.
struct LongestTime {
  milliseconds time;
  std::string_view setting;
};
LongestTime longest_time(const Exec::Params& params, const ExecSettings& settings) {
  const LongestTime any{std::chrono::minutes(settings.session_minutes), "exec.session_minutes"};
  const LongestTime foreground{milliseconds(settings.longest_ms), "exec.longest_ms"};
  const bool may_stay = params.background || params.yield_ms;
  return may_stay || any.time < foreground.time ? any : foreground;
}

// Says when a shorter limit than the requested one applied.
std::string cut_time_text(const Exec::Params& params, const ExecSettings& settings) {
  const LongestTime longest = longest_time(params, settings);
  if (!params.timeout_ms || milliseconds(*params.timeout_ms) <= longest.time) return {};
  const bool may_stay = params.background || params.yield_ms;
  return concat("(Its time limit is ", with_thousands(static_cast<std::size_t>(longest.time.count())),
                " ms, the most that ", longest.setting, " allows, not the ",
                with_thousands(static_cast<std::size_t>(*params.timeout_ms)), " ms of timeoutMs",
                may_stay ? "" : "; use background for what takes longer", ".)\n");
}

core::CommandJobs::Order order_for(const Exec::Params& params, const ExecSettings& settings) {
  core::CommandJobs::Order order{.wish = {.command = params.command, .directory = params.cwd},
                                 .input_text = params.input.value_or(""),
                                 .terminal = params.tty};
  const bool may_stay = params.background || params.yield_ms;
  if (may_stay && !params.input)
    order.input = Input::kOpen;
  else if (params.input)
    order.input = Input::kText;
  if (params.timeout_ms)
    order.time_limit = std::min(milliseconds(*params.timeout_ms), longest_time(params, settings).time);
  else if (!may_stay)
    order.time_limit = milliseconds(settings.time_limit_ms);
  return order;
}

Result in_background(Context& context, const std::shared_ptr<process::Job>& command, std::size_t budget,
                     std::string_view remark) {
  core::CommandJobs& commands = session_state(context).commands;
  command->log().keep();  // the answer names the file
  commands.move_to_background(context, command);
  const auto polled = command->poll(budget);
  if (!polled) return fail(polled.error());
  const auto shown = core::show_output(*command, polled->excerpt, polled->from, polled->to);
  if (!shown) return fail(shown.error());
  JsonObject data = core::command_data(*command, commands.facts(command->id()));
  data.append("outputPath", command->log().path());
  data.append("newOutput", shown->text);
  std::string content = shown->text;
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  content += concat("(", core::outcome_text(*command), "; sessionId ", command->id(),
                    ". Use process with action poll, wait, write or kill.)\n", remark);
  return Output{.summary = concat("Runs in the background as ", command->id()),
                .content = std::move(content),
                .data = std::move(data),
                .truncated = !shown->complete};
}

// Output up to the interruption is not lost.
Error stopped_error(const Context& context, process::Job& command, const core::CommandFacts& facts,
                    std::size_t budget) {
  Error error = context.stop_error();
  if (command.log().size() == 0) return error;
  command.log().keep();
  error.hint = concat("Its output until then is in ", command.log().path(), "; read and grep can open it.");
  if (Result shown = core::describe_end(command, facts, budget)) error.details = std::move(shown->data);
  return error;
}

// The last line that is not empty.
std::string last_line(const process::OutputLog& log) {
  constexpr std::uint64_t kLook = 4096;
  const std::uint64_t size = log.size();
  const auto part = log.read(size - std::min(size, kLook), kLook);
  if (!part) return {};
  const std::string clean = process::clean_text(part->bytes);
  std::string_view text = trim(clean);
  const std::size_t line_break = text.rfind('\n');
  if (line_break != std::string_view::npos) text.remove_prefix(line_break + 1);
  return shortened(trim(text), 200);
}

// Reports the last line of the output a few times per second, or streams all of it.
process::WaitOutcome wait_and_tell(const Context& context, process::Job& command,
                                   const process::WaitCondition& condition, Context::Clock::time_point until,
                                   core::LiveOutput* live) {
  const milliseconds pause(live != nullptr ? 50 : 250);
  std::uint64_t reported = 0;
  for (;;) {
    const auto slice = std::min(until, Context::Clock::now() + pause);
    const process::WaitOutcome outcome = command.wait(condition, context.stop_token(), slice);
    if (outcome != process::WaitOutcome::kTimeout || slice == until) return outcome;
    const process::OutputLog& log = command.log();
    if (live != nullptr) live->show_new(live->bytes() == log.size());
    if (log.size() == reported) continue;
    reported = log.size();
    context.report({.done = static_cast<double>(reported), .message = last_line(log)});
  }
}

}  // namespace

Result Exec::foresee(Context& context, const Params& params) const {
  if (auto directory = core::command_directory(context.engines(), params.cwd); !directory)
    return fail(std::move(directory).error());
  return Output();
}

Result Exec::execute(Context& context, const Params& params) const {
  const settings::Groups& settings = context.engines().settings;
  const std::size_t budget = core::output_budget(settings.results, "exec", kResultLimit);
  const std::string remark = cut_time_text(params, settings.exec);
  core::CommandJobs& commands = session_state(context).commands;
  auto started = commands.start(context, order_for(params, settings.exec));
  if (!started) return fail(started.error());
  const std::shared_ptr<process::Job>& command = *started;
  if (params.background) return in_background(context, command, budget, remark);

  std::optional<core::LiveOutput> live;
  if (commands.live()) live.emplace(command->log(), commands.live());
  const auto until =
      params.yield_ms ? Context::Clock::now() + milliseconds(*params.yield_ms) : context.deadline();
  // With open input the job may wait for input that never comes, so the wait ends and the answer says so.
  const process::WaitOutcome outcome = wait_and_tell(
      context, *command, {.input = params.yield_ms || params.tty}, until, live ? &*live : nullptr);
  if (outcome == process::WaitOutcome::kStopped) {
    command->kill(milliseconds(200));
    command->wait_for_end({}, Context::Clock::now() + std::chrono::seconds(5));
    if (live) live->finish();
    const core::CommandFacts facts = commands.finish(context.engines(), context.session(), *command);
    return fail(stopped_error(context, *command, facts, budget));
  }
  if (live) live->finish();
  const bool seen_live = live && live->has_shown_all();
  if (outcome != process::WaitOutcome::kEnded && command->status().running()) {
    if (seen_live) static_cast<void>(command->poll(budget));  // output so far was shown live
    return in_background(context, command, budget, remark);
  }
  const core::CommandFacts facts = commands.finish(context.engines(), context.session(), *command);
  Result result = core::describe_end(*command, facts, budget, seen_live);
  if (result) result->content += remark;
  // Output that was shown completely need not be kept.
  if (result && result->truncated)
    command->log().keep();
  else if (result)
    if (auto removed = commands.remove(context.engines(), context.session(), command->id());
        removed && result->data.is_object())
      result->data.as_object().erase("sessionId");
  return result;
}

}  // namespace helve::tools
