#include "toolkit/program_run.h"

#include "base/strings.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "process/shell_choice.h"

namespace helve::toolkit {
namespace {

using process::Stream;
using std::chrono::milliseconds;

constexpr std::size_t kMostProgramOutput = std::size_t{64} << 20;
constexpr std::size_t kMostErrors = std::size_t{1} << 20;

Expected<ProgramEnd> read_end(const process::Job& program, const std::string& name, milliseconds time_limit) {
  const process::JobStatus status = program.status();
  if (status.state == process::JobState::kTimedOut)
    return fail(ErrorCode::kTimeout,
                concat(name, " was not through after ", time_limit.count() / 1000, " seconds."),
                "Run it with exec and a larger timeoutMs.");
  // Truncated output must never pass for complete output.
  if (const process::OutputState kept = program.log().state(); kept.lost() > 0)
    return fail(ErrorCode::kExecutionFailed,
                concat("Not all that ", name, " printed could be kept: ", kept.trouble, "."),
                "Run it with exec to look at what it prints.");
  auto output = program.log().read_stream(process::Stream::kOutput, 0, kMostProgramOutput);
  if (!output) return fail(output.error());
  auto errors = program.log().read_stream(process::Stream::kError, 0, kMostErrors);
  if (!errors) return fail(errors.error());
  return ProgramEnd{.exit_code = status.exit_code.value_or(128 + status.signal.value_or(0)),
                    .output = std::move(output->bytes),
                    .errors = std::move(errors->bytes)};
}

}  // namespace

Expected<ProgramEnd> run_program(Context& context, ProgramOrder order) {
  const std::string& program = order.arguments.front();
  const std::string name = program.substr(program.rfind('/') + 1);
  core::CommandJobs::Order start{.wish = {.command = process::quoted_line(order.arguments),
                                          .argv = std::move(order.arguments),
                                          .directory = std::move(order.directory),
                                          .read_only = true,
                                          .offline = true},
                                 .input = process::JobRequest::Input::kText,
                                 .input_text = std::move(order.input),
                                 .time_limit = order.time_limit,
                                 .output_bytes = kMostProgramOutput};
  core::CommandJobs& commands = session_state(context).commands;
  const auto started = commands.start(context, std::move(start));
  if (!started) return fail(started.error());
  process::Job& command = **started;
  const bool ended = command.wait_for_end(context.stop_token(), context.deadline());
  if (!ended) {
    command.kill(milliseconds(200));
    command.wait_for_end({}, Context::Clock::now() + std::chrono::seconds(5));
  }
  auto end = ended ? read_end(command, name, order.time_limit) : fail(context.stop_error());
  (void)commands.remove(context.engines(), context.session(), command.id());
  return end;
}

}  // namespace helve::toolkit
