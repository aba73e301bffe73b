#include "cli/terminal_asker.h"

#include <fcntl.h>
#include <termios.h>

#include <algorithm>
#include <chrono>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "cli/terminal.h"
#include "cli/terminal_line.h"

namespace helve::cli {
namespace {

std::string question_text(const Question& question) {
  std::string text = concat("\n", printable(question.text), "\n");
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Choice& choice = question.choices[i];
    text +=
        concat("  ", i + 1, ") ", printable_line(choice.label.empty() ? choice.value : choice.label), "\n");
  }
  if (!question.url.empty()) text += concat("  open: ", printable_line(question.url), "\n");
  if (question.choices.empty())
    text += "Answer";
  else
    text += question.several ? "Numbers, or other words" : "Number, or other words";
  if (!question.suggested.empty()) text += concat(" [", printable_line(join(question.suggested, ", ")), "]");
  return text + ": ";
}

// "2" is the second choice; anything else is what it says.
std::string value_of(std::string_view word, const Question& question) {
  const std::size_t number = to_number<std::size_t>(word).value_or(0);
  if (number >= 1 && number <= question.choices.size()) return question.choices[number - 1].value;
  return std::string(word);
}

}  // namespace

Expected<Reply> reply_in(std::string_view line, const Question& question) {
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
                  concat(value, " is none of the choices; 1 to ", question.choices.size(), " are."));
  return reply;
}

Expected<Reply> ask_at(int terminal, const Question& question, const std::stop_token& stop) {
  ::tcflush(terminal, TCIFLUSH);  // what was typed before the question is no answer to it
  const auto until = question.patience ? std::chrono::steady_clock::now() + *question.patience
                                       : std::chrono::steady_clock::time_point::max();
  std::string text = question_text(question);
  for (;;) {
    if (!write_all(terminal, text)) return fail(ErrorCode::kUnavailable, "The terminal could not be used.");
    const std::string line = read_line(terminal, stop, until);
    if (line.empty() && stop.stop_requested())
      return fail(ErrorCode::kCancelled, "The question was interrupted.");
    if (line.empty() && std::chrono::steady_clock::now() >= until)
      return fail(ErrorCode::kTimeout, "Nobody answered in time.");
    if (line.empty()) return Reply{.kind = Reply::Kind::kDismissed};
    auto reply = reply_in(line, question);
    if (reply) return reply;
    text = concat(printable_line(reply.error().message), " Again: ");
  }
}

Expected<Reply> TerminalAsker::ask(const Question& question, const std::stop_token& stop) {
  const std::lock_guard lock(one_question_at_a_time_);
  if (!question.form.is_null())
    return fail(ErrorCode::kUnavailable, "A form cannot be filled in at this terminal.");
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return fail(ErrorCode::kUnavailable, "There is no terminal to ask at.");
  return ask_at(terminal.get(), question, stop);
}

}  // namespace helve::cli
