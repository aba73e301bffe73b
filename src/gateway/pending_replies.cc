#include "gateway/pending_replies.h"

namespace helve::gateway {

Error given_up_error(const Terms& terms) {
  if (terms.stop.stop_requested()) return {ErrorCode::kCancelled, "The request was cancelled."};
  return {ErrorCode::kTimeout, "The server did not answer in time."};
}

PendingReplies::Place::Place(PendingReplies& owner, std::int64_t id, std::shared_ptr<const Caller> caller)
    : owner_(owner), id_(id), caller_(std::move(caller)) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.places_.emplace(id_, this);
}

PendingReplies::Place::~Place() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.places_.erase(id_);
}

std::optional<Expected<rpc::Response>> PendingReplies::Place::take() {
  const std::lock_guard lock(owner_.mutex_);
  return std::exchange(reply_, {});
}

Expected<rpc::Response> PendingReplies::Place::wait(const Terms& terms) {
  std::unique_lock lock(owner_.mutex_);
  const auto is_there = [&] { return reply_.has_value(); };
  // A deadline that is far away overflows when it is converted for the kernel.
  if (terms.deadline == Clock::time_point::max())
    owner_.changed_.wait(lock, terms.stop, is_there);
  else
    owner_.changed_.wait_until(lock, terms.stop, terms.deadline, is_there);
  if (!reply_) return fail(given_up_error(terms));
  return *std::exchange(reply_, {});
}

bool PendingReplies::deliver(rpc::Response response) {
  std::int64_t id = 0;
  if (!response.id.is_number() || !response.id.fits_int64(id)) return false;
  std::stop_source answered;
  {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(id);
    if (found == places_.end() || found->second->reply_) return false;
    found->second->reply_.emplace(std::move(response));
    answered = found->second->answered_;
    changed_.notify_all();
  }
  answered.request_stop();  // runs what others registered, so not under the lock
  return true;
}

void PendingReplies::fail_all(const Error& error) {
  std::vector<std::stop_source> answered;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, place] : places_) {
      if (place->reply_) continue;
      place->reply_.emplace(fail(error));
      answered.push_back(place->answered_);
    }
    changed_.notify_all();
  }
  for (std::stop_source& source : answered) source.request_stop();
}

std::shared_ptr<const Caller> PendingReplies::only_caller() const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Caller> found;
  for (const auto& [id, place] : places_) {
    if (!place->caller_) continue;
    // Two calls of one person may both be meant; of two persons, only the right one may be asked.
    if (found && (found->asker != place->caller_->asker || found->sampler != place->caller_->sampler))
      return {};
    found = place->caller_;
  }
  return found;
}

}  // namespace helve::gateway
