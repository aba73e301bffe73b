#include "cli/terminal_asker.h"

#include <fcntl.h>
#include <termios.h>

#include <charconv>

#include "base/file_io.h"
#include "base/strings.h"
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
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem == std::errc() && end == word.data() + word.size() && number >= 1 &&
      number <= question.choices.size())
    return question.choices[number - 1].value;
  return std::string(word);
}

}  // namespace

Expected<Reply> TerminalAsker::ask(const Question& question, const std::stop_token& stop) {
  const std::lock_guard lock(one_question_at_a_time_);
  if (!question.form.is_null())
    return fail(ErrorCode::kUnavailable, "A form cannot be filled in at this terminal.");
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return fail(ErrorCode::kUnavailable, "There is no terminal to ask at.");
  ::tcflush(terminal.get(), TCIFLUSH);  // what was typed before the question is no answer to it
  if (!write_all(terminal.get(), question_text(question)))
    return fail(ErrorCode::kUnavailable, "The terminal could not be used.");
  const std::string line = read_line(terminal.get(), stop);
  if (line.empty() && stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The question was interrupted.");
  if (line.empty()) return Reply{.kind = Reply::Kind::kDismissed};
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
  return reply;
}

}  // namespace helve::cli
