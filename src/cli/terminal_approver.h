// Asks the person at the terminal whether a call may happen.
#pragma once

#include <mutex>

#include "helve/permissions.h"

namespace helve::cli {

// Uses /dev/tty, so that it works while stdin and stdout are pipes. Without a terminal the answer is no.
class TerminalApprover final : public Approver {
 public:
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;

 private:
  std::mutex one_question_at_a_time_;
};

}  // namespace helve::cli
