#include "chat/tty_questions.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "app/printer.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "core/approval.h"

namespace helve::chat {
namespace {

// The prompts pass all text through printable(): escape sequences could draw over the question.
std::string approval_prompt(const PermissionRequest& request) {
  std::string question = concat("\n", approval_lines(request));
  question += "Allow? [y]es, yes for this [s]ession";
  if (!request.rules.empty()) question += ", [a]lways";
  return question + ", or [n]o with a reason: ";
}

std::string question_prompt(const Question& question) {
  std::string text = concat("\n", terminal::printable(question.text), "\n");
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Choice& choice = question.choices[i];
    text += concat("  ", i + 1, ") ",
                   terminal::printable_line(choice.label.empty() ? choice.value : choice.label), "\n");
  }
  if (!question.url.empty()) text += concat("  open: ", terminal::printable_line(question.url), "\n");
  if (question.choices.empty())
    text += "Answer";
  else
    text += question.several ? "Numbers or text" : "Number or text";
  if (!question.suggested.empty())
    text += concat(" [", terminal::printable_line(join(question.suggested, ", ")), "]");
  return text + ": ";
}

// "2" selects the second choice; other text is taken literally.
std::string value_of(std::string_view word, const Question& question) {
  const std::size_t number = to_number<std::size_t>(word).value_or(0);
  if (number >= 1 && number <= question.choices.size()) return question.choices[number - 1].value;
  return std::string(word);
}

using Time = std::chrono::steady_clock::time_point;

// Waits until no other question is on the terminal; owns nothing after a stop or after `until`.
std::unique_lock<std::timed_mutex> wait_for_turn(std::timed_mutex& mutex, const std::stop_token& stop,
                                                 Time until = Time::max()) {
  std::unique_lock lock(mutex, std::defer_lock);
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < until)
    if (lock.try_lock_for(std::chrono::milliseconds(100))) break;
  return lock;
}

}  // namespace

std::string approval_lines(const PermissionRequest& request) {
  const core::ApprovalText text = core::approval_text(request);
  std::string lines = concat(terminal::printable_line(text.title), ":\n");
  // Indent each line of the diff, so that none can imitate a line of the prompt.
  const auto rows =
      request.diff.empty() ? std::vector<std::string_view>{text.subject} : split(trim(request.diff), '\n');
  for (const std::string_view row : rows) lines += concat("  ", terminal::printable_line(row), "\n");
  for (const auto& [label, value] : text.facts)
    lines += concat("  ", to_lower(label), ": ", terminal::printable_line(value), "\n");
  return lines;
}

Expected<Reply> parse_reply(std::string_view line, const Question& question) {
  Reply reply{.kind = Reply::Kind::kAnswered};
  const std::string_view said = trim(line);
  if (said.empty()) {
    reply.values = question.suggested;
  } else if (question.several) {
    for (const std::string_view word : split(said, ','))
      if (!trim(word).empty()) reply.values.push_back(value_of(trim(word), question));
  } else {
    reply.values.push_back(value_of(said, question));
  }
  if (question.own_words || question.choices.empty()) return reply;
  for (const std::string& value : reply.values)
    if (std::ranges::find(question.choices, value, &Choice::value) == question.choices.end())
      return fail(ErrorCode::kInvalidArgument,
                  concat(value, " is not one of the choices. Enter a number from 1 to ",
                         question.choices.size(), "."));
  return reply;
}

Expected<Reply> ask_at(int terminal, const Question& question, const std::stop_token& stop) {
  ::tcflush(terminal, TCIFLUSH);  // discard keys typed before the question
  const auto until = question.patience ? std::chrono::steady_clock::now() + *question.patience
                                       : std::chrono::steady_clock::time_point::max();
  std::string text = question_prompt(question);
  for (;;) {
    if (!write_all(terminal, text)) return fail(ErrorCode::kUnavailable, "Cannot write to the terminal.");
    const std::string line = app::read_line(terminal, stop, until);
    if (line.empty() && stop.stop_requested())
      return fail(ErrorCode::kCancelled, "The question was interrupted.");
    if (line.empty() && std::chrono::steady_clock::now() >= until)
      return fail(ErrorCode::kTimeout, "The question was not answered in time.");
    if (line.empty()) return Reply{.kind = Reply::Kind::kDismissed};
    auto reply = parse_reply(line, question);
    if (reply) return reply;
    text = concat(terminal::printable_line(reply.error().message), " Try again: ");
  }
}

Expected<Reply> TtyAsker::ask(const Question& question, const std::stop_token& stop) {
  if (!question.form.is_null()) return fail(ErrorCode::kUnavailable, "This terminal cannot show forms.");
  const auto now = std::chrono::steady_clock::now();
  const auto until = question.patience ? now + *question.patience : Time::max();
  const auto turn = wait_for_turn(one_question_at_a_time_, stop, until);
  if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The question was interrupted.");
  if (!turn.owns_lock())
    return fail(ErrorCode::kTimeout, "Another question was open until the time was over.");
  Question rest = question;
  if (rest.patience)
    rest.patience = std::chrono::floor<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return fail(ErrorCode::kUnavailable, "There is no terminal to ask on.");
  return ask_at(terminal.get(), rest, stop);
}

Approval TtyApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const auto turn = wait_for_turn(one_question_at_a_time_, stop);
  if (!turn.owns_lock()) return {};
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return {.reason = "there is no terminal to ask on", .asked = false};
  ::tcflush(terminal.get(), TCIFLUSH);  // discard keys typed before the question
  if (!write_all(terminal.get(), approval_prompt(request)))
    return {.reason = "the terminal cannot be written", .asked = false};
  const std::string answer = app::read_line(terminal.get(), stop);
  if (answer.empty() && !stop.stop_requested()) return {.reason = "the terminal was closed", .asked = false};
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

}  // namespace helve::chat
