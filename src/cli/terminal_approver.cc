#include "cli/terminal_approver.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/terminal.h"
#include "cli/terminal_line.h"
#include "core/approval.h"

namespace helve::cli {
namespace {

// Never anything that could draw over the question.
std::string question_text(const PermissionRequest& request) {
  const ApprovalText text = approval_text(request);
  std::string question = concat("\n", printable_line(text.title), ":\n");
  // Each line of a diff begins with a sign of its own, so that none can be taken for one of ours.
  const auto rows =
      request.diff.empty() ? std::vector<std::string_view>{text.subject} : split(trim(request.diff), '\n');
  for (const std::string_view row : rows) question += concat("  ", printable_line(row), "\n");
  for (const auto& [label, value] : text.facts)
    question += concat("  ", to_lower(label), ": ", printable_line(value), "\n");
  question += "Allow? [y]es, yes for this [s]ession";
  if (!request.rules.empty()) question += ", [a]lways";
  return question + ", or [n]o with a reason: ";
}

}  // namespace

Approval TerminalApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const std::lock_guard lock(one_question_at_a_time_);
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return {.reason = "there is no terminal to ask at", .asked = false};
  ::tcflush(terminal.get(), TCIFLUSH);  // what was typed before the question is no answer to it
  if (!write_all(terminal.get(), question_text(request)))
    return {.reason = "the terminal could not be used", .asked = false};
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
