// Brings the questions of tools to the person at the terminal.
#pragma once

#include <mutex>

#include "helve/questions.h"

namespace helve::cli {

// Uses /dev/tty, so that it works while stdin and stdout are pipes.
class TerminalAsker final : public Asker {
 public:
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  std::mutex one_question_at_a_time_;
};

}  // namespace helve::cli
