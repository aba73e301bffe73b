#include "inbox/shared_approver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/either_stop.h"
#include "base/strings.h"

namespace helve::inbox {

using Clock = std::chrono::steady_clock;

bool SharedApprover::client_can_be_asked(const PermissionRequest& request) const {
  return own_ != nullptr && own_->can_ask(request);
}

bool SharedApprover::can_ask(const PermissionRequest& request) {
  asks_client_ = client_can_be_asked(request);
  return asks_client_ || patience_.count() > 0 || inbox_->is_watched();
}

Approval SharedApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  WaitingQuestions::Listed listed(inbox_->questions(), request);
  inbox_->open();
  Approval unanswered{.asked = false};
  if (client_can_be_asked(request)) {
    const EitherStop either(stop, listed.answered());
    Approval approval = own_->ask(request, either.token());
    const bool is_answer = approval.granted || approval.asked || stop.stop_requested();
    if (is_answer) return listed.close().value_or(std::move(approval));
    unanswered = std::move(approval);
  }
  constexpr std::chrono::milliseconds kLook(500);  // between two looks for a watcher
  const auto start = Clock::now();
  auto until = start + patience_;
  std::optional<Approval> answer;
  for (;;) {
    const bool watched = inbox_->is_watched();
    if (!watched && Clock::now() >= until) break;
    answer = listed.wait(watched ? Clock::now() + kLook : std::min(Clock::now() + kLook, until), stop);
    if (answer || stop.stop_requested()) break;
  }
  if (answer = listed.close(); answer) return *std::move(answer);
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
  if (unanswered.reason.empty()) unanswered.reason = "the client cannot ask";
  unanswered.reason +=
      concat(", and nobody answered within ", waited, " s (helve approvals watch shows such questions)");
  return unanswered;
}

}  // namespace helve::inbox
