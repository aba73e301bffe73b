#include "cli/terminal_people.h"

#include <algorithm>

namespace helve::cli {

void TerminalPeople::wait_for_answer(const std::shared_ptr<Asked>& asked, const std::stop_token& stop,
                                     std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(asked);
  wake_();
  const auto is_answered = [&] { return asked->approval_.has_value() || asked->reply_.has_value(); };
  if (until == std::chrono::steady_clock::time_point::max())
    answered_.wait(lock, stop, is_answered);
  else
    answered_.wait_until(lock, stop, until, is_answered);
  std::erase(waiting_, asked);
  wake_();
}

Approval TerminalPeople::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const auto asked = std::make_shared<Asked>();
  asked->what = request;
  wait_for_answer(asked, stop, std::chrono::steady_clock::time_point::max());
  return asked->approval_.value_or(Approval{.granted = false});
}

Expected<Reply> TerminalPeople::ask(const Question& question, const std::stop_token& stop) {
  if (!question.form.is_null())
    return fail(ErrorCode::kUnavailable, "A form cannot be filled in at this terminal.");
  const auto asked = std::make_shared<Asked>();
  asked->what = question;
  wait_for_answer(asked, stop,
                  question.patience ? std::chrono::steady_clock::now() + *question.patience
                                    : std::chrono::steady_clock::time_point::max());
  if (asked->reply_) return *std::move(asked->reply_);
  if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The question was interrupted.");
  return fail(ErrorCode::kTimeout, "Nobody answered in time.");
}

std::shared_ptr<const Asked> TerminalPeople::current() const {
  const std::lock_guard lock(mutex_);
  const auto open = std::ranges::find_if(
      waiting_, [](const std::shared_ptr<Asked>& asked) { return !asked->approval_ && !asked->reply_; });
  return open == waiting_.end() ? nullptr : *open;
}

void TerminalPeople::answer(const std::shared_ptr<const Asked>& asked, Approval approval) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, asked);
  if (found != waiting_.end()) (*found)->approval_ = std::move(approval);
  answered_.notify_all();
}

void TerminalPeople::answer(const std::shared_ptr<const Asked>& asked, Expected<Reply> reply) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, asked);
  if (found != waiting_.end()) (*found)->reply_ = std::move(reply);
  answered_.notify_all();
}

}  // namespace helve::cli
