#include "inbox/waiting_questions.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "inbox/request_json.h"

namespace helve::inbox {

WaitingQuestions::Listed::Listed(WaitingQuestions& questions, const PermissionRequest& request)
    : questions_(questions), id_(random_id("q", 8)) {
  auto open = std::make_shared<Open>();
  open->question = {
      .id = id_, .request = request, .hash = hash_of(request), .since = std::chrono::system_clock::now()};
  const std::lock_guard lock(questions_.mutex_);
  questions_.open_.emplace(id_, std::move(open));
  questions_.change();
}

WaitingQuestions::Listed::~Listed() {
  constexpr std::size_t kMostRemembered = 256;
  const std::lock_guard lock(questions_.mutex_);
  questions_.open_.erase(id_);
  questions_.ended_.push_back(id_);
  if (questions_.ended_.size() > kMostRemembered) questions_.ended_.pop_front();
  questions_.change();
}

std::stop_token WaitingQuestions::Listed::answered() const {
  const std::lock_guard lock(questions_.mutex_);
  return questions_.open_.at(id_)->answered.get_token();
}

std::optional<Approval> WaitingQuestions::Listed::wait(std::chrono::steady_clock::time_point until,
                                                       const std::stop_token& stop) const {
  std::unique_lock lock(questions_.mutex_);
  const std::shared_ptr<Open> open = questions_.open_.at(id_);
  questions_.changed_.wait_until(lock, stop, until, [&] { return open->approval.has_value(); });
  return open->approval;
}

std::optional<Approval> WaitingQuestions::Listed::close() {
  const std::lock_guard lock(questions_.mutex_);
  Open& open = *questions_.open_.at(id_);
  open.closed = true;
  return open.approval;
}

WaitingQuestions::Outcome WaitingQuestions::answer(std::string_view id, std::string_view hash,
                                                   Approval approval) {
  std::shared_ptr<Open> open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end())
      return std::ranges::find(ended_, id) != ended_.end() ? Outcome::kTooLate : Outcome::kUnknown;
    open = found->second;
    if (open->question.hash != hash) return Outcome::kOther;
    if (open->closed || open->approval) return Outcome::kTooLate;
    open->approval = std::move(approval);
    change();
  }
  open->answered.request_stop();  // without the lock, because it runs callbacks
  return Outcome::kTaken;
}

std::vector<WaitingQuestion> WaitingQuestions::list() const {
  std::vector<WaitingQuestion> waiting;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, open] : open_)
      if (!open->closed && !open->approval) waiting.push_back(open->question);
  }
  std::ranges::stable_sort(waiting, {}, &WaitingQuestion::since);
  return waiting;
}

std::uint64_t WaitingQuestions::wait_for_change(std::uint64_t seen,
                                                std::chrono::steady_clock::time_point until,
                                                const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, until, [&] { return changes_ != seen; });
  return changes_;
}

void WaitingQuestions::change() {
  ++changes_;
  changed_.notify_all();
}

}  // namespace helve::inbox
