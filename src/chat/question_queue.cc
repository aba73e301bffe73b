#include "chat/question_queue.h"

#include <algorithm>

namespace helve::chat {

void QuestionQueue::wait_for_answer(const std::shared_ptr<OpenQuestion>& open, const std::stop_token& stop,
                                    std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(open);
  wake_();
  const auto is_answered = [&] { return open->approval_.has_value() || open->reply_.has_value(); };
  if (until == std::chrono::steady_clock::time_point::max())
    answered_.wait(lock, stop, is_answered);
  else
    answered_.wait_until(lock, stop, until, is_answered);
  std::erase(waiting_, open);
  wake_();
}

Approval QuestionQueue::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const auto open = std::make_shared<OpenQuestion>();
  open->subject = request;
  wait_for_answer(open, stop, std::chrono::steady_clock::time_point::max());
  return open->approval_.value_or(Approval{.granted = false});
}

Expected<Reply> QuestionQueue::ask(const Question& question, const std::stop_token& stop) {
  if (!question.form.is_null()) return fail(ErrorCode::kUnavailable, "This terminal cannot show forms.");
  const auto open = std::make_shared<OpenQuestion>();
  open->subject = question;
  wait_for_answer(open, stop,
                  question.patience ? std::chrono::steady_clock::now() + *question.patience
                                    : std::chrono::steady_clock::time_point::max());
  if (open->reply_) return *std::move(open->reply_);
  if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The question was interrupted.");
  return fail(ErrorCode::kTimeout, "The question was not answered in time.");
}

std::shared_ptr<const OpenQuestion> QuestionQueue::current() const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      waiting_, [](const std::shared_ptr<OpenQuestion>& open) { return !open->approval_ && !open->reply_; });
  return found == waiting_.end() ? nullptr : *found;
}

void QuestionQueue::answer(const std::shared_ptr<const OpenQuestion>& open, Approval approval) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, open);
  if (found != waiting_.end()) (*found)->approval_ = std::move(approval);
  answered_.notify_all();
}

void QuestionQueue::answer(const std::shared_ptr<const OpenQuestion>& open, Expected<Reply> reply) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(waiting_, open);
  if (found != waiting_.end()) (*found)->reply_ = std::move(reply);
  answered_.notify_all();
}

}  // namespace helve::chat
