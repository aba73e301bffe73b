// Asks the user on /dev/tty, line by line: approvals and questions outside of the interactive chat.
#pragma once

#include <mutex>
#include <string_view>

#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::chat {

// Both classes use /dev/tty, so they work while stdin and stdout are pipes. Thread-safe.

// Denies when there is no terminal.
class TtyApprover final : public Approver {
 public:
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;

 private:
  std::timed_mutex one_question_at_a_time_;
};

class TtyAsker final : public Asker {
 public:
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  std::timed_mutex one_question_at_a_time_;
};

// The question for a terminal, with escape sequences made visible, and without the ways to answer.
[[nodiscard]] std::string approval_lines(const PermissionRequest& request);

// Parses a typed line: numbers select choices, an empty line selects the suggestion. INVALID_ARGUMENT if the
// question only accepts its choices and the line is not one of them.
[[nodiscard]] Expected<Reply> parse_reply(std::string_view line, const Question& question);

// Asks on an open terminal.
[[nodiscard]] Expected<Reply> ask_at(int terminal, const Question& question, const std::stop_token& stop);

}  // namespace helve::chat
