// Brings the questions of tools to the person at the terminal.
#pragma once

#include <mutex>
#include <string_view>

#include "helve/questions.h"

namespace helve::cli {

// Uses /dev/tty, so that it works while stdin and stdout are pipes.
class TerminalAsker final : public Asker {
 public:
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  std::mutex one_question_at_a_time_;
};

// The answer in a line that a person typed: numbers are choices, an empty one is what was suggested.
// INVALID_ARGUMENT when only a choice would do.
[[nodiscard]] Expected<Reply> reply_in(std::string_view line, const Question& question);

// Asks at an open terminal.
[[nodiscard]] Expected<Reply> ask_at(int terminal, const Question& question, const std::stop_token& stop);

}  // namespace helve::cli
