#include "cli/exec_at_shell.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/json_read.h"
#include "base/strings.h"

namespace helve::cli {
namespace {

constexpr std::string_view kElsewhere =
    "or use your shell (helve exec … &). helve agent, helve mcp and helve serve have sessions that last.";

}  // namespace

ParamType params_at_shell(const ToolDefinition& tool) {
  ParamType params = tool.params;
  if (tool.name == "exec")
    std::erase_if(params.members,
                  [](const Param& param) { return param.name == "background" || param.name == "yieldMs"; });
  return params;
}

std::optional<Error> refused_at_shell(std::string_view tool, const Json& arguments) {
  if (tool != "exec") return {};
  if (const Json* background = arguments.find("background");
      background != nullptr && *background == Json(true))
    return Error{ErrorCode::kInvalidArgument,
                 "A background command would end with this call, so it was not started.",
                 concat("Leave background out to run it to its end here, ", kElsewhere)};
  if (arguments.find("yieldMs") != nullptr)
    return Error{ErrorCode::kInvalidArgument,
                 "A command that moves to the background would end with this call, so it was "
                 "not started.",
                 concat("Leave yieldMs out to run it to its end here, ", kElsewhere)};
  return {};
}

bool leaves_stdin(std::string_view tool, const Json& arguments) {
  return tool == "exec" && arguments.find("stdin") == nullptr;
}

bool has_unread_stdin() {
  struct stat status{};
  if (::fstat(STDIN_FILENO, &status) != 0) return false;
  // A file that was partly read is a script that runs this command.
  if (S_ISREG(status.st_mode)) return status.st_size > 0 && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  int bytes = 0;
  return (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) &&
         ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

std::optional<Error> input_wait_error(Output& output) {
  const Json* running = output.data.find("running");
  if (running == nullptr || *running != Json(true)) return {};
  const Json* waits = output.data.find("waitsForInput");
  const Json* program = waits == nullptr ? nullptr : waits->find("program");
  const Json* password = waits == nullptr ? nullptr : waits->find("password");
  // Remove the note that it continues in the background: here it does not.
  output.content = text_in(output.data, "newOutput");
  output.summary.clear();
  return Error{
      ErrorCode::kExecutionFailed,
      concat(program != nullptr && program->is_string() ? program->as_string() : "The command",
             password != nullptr && *password == Json(true) ? " waited for a password" : " waited for input",
             ", which is not available here; it was ended."),
      "Pass input with --stdin (- is your stdin). Commands are never connected to your terminal, not even "
      "with --tty; run interactive programs in your own shell."};
}

}  // namespace helve::cli
