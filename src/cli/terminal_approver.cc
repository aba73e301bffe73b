#include "cli/terminal_approver.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/terminal.h"
#include "cli/terminal_line.h"

namespace helve::cli {
namespace {

// A command as it is, anything else as JSON; never anything that could draw over the question.
std::string question_text(const PermissionRequest& request) {
  const Json* command = request.tool == "exec" ? request.arguments.find("command") : nullptr;
  std::string shown =
      command != nullptr && command->is_string() ? command->as_string() : to_text(request.arguments);
  std::string text =
      concat("\n", request.tool, " wants to ", name_of(request.effect), ":\n  ", printable_line(shown), "\n");
  if (const Json* directory = request.arguments.find("cwd");
      command != nullptr && directory != nullptr && directory->is_string())
    text += concat("  in: ", printable_line(directory->as_string()), "\n");
  if (!request.explanation.empty()) text += concat("  why: ", printable_line(request.explanation), "\n");
  if (!request.reason.empty()) text += concat("  asked because: ", printable_line(request.reason), "\n");
  for (const std::string& rule : request.rules)
    text += concat("  always would allow: ", printable_line(rule), "\n");
  text += "Allow? [y]es, yes for this [s]ession";
  if (!request.rules.empty()) text += ", [a]lways";
  return text + ", or [n]o with a reason: ";
}

}  // namespace

Approval TerminalApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const std::lock_guard lock(one_question_at_a_time_);
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return {false, "there is no terminal to ask at"};
  ::tcflush(terminal.get(), TCIFLUSH);  // what was typed before the question is no answer to it
  if (!write_all(terminal.get(), question_text(request))) return {false, "the terminal could not be used"};
  const std::string answer = read_line(terminal.get(), stop);
  const std::string_view said = trim(answer);
  const std::string word = to_lower(said);
  if (word == "y" || word == "yes") return {true, {}};
  if (word == "s" || word == "session") return {true, {}, ApprovalScope::kSession};
  if (!request.rules.empty() && (word == "a" || word == "always")) return {true, {}, ApprovalScope::kAlways};
  std::string_view reason = said;
  for (const std::string_view no : {"no", "n", "N"})
    if (reason == no || reason.starts_with(concat(no, " "))) reason.remove_prefix(no.size());
  return {false, std::string(trim(reason))};
}

}  // namespace helve::cli
