#include "gateway/channel.h"

namespace helve::gateway {

Error stop_error(const Terms& terms) {
  if (terms.stop.stop_requested()) return {ErrorCode::kCancelled, "The request was cancelled."};
  return {ErrorCode::kTimeout, "The server did not answer in time."};
}

PendingReplies::Entry::Entry(PendingReplies& owner, std::int64_t id, std::shared_ptr<const Caller> caller)
    : owner_(owner), id_(id), caller_(std::move(caller)) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.entries_.emplace(id_, this);
}

PendingReplies::Entry::~Entry() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.entries_.erase(id_);
}

std::optional<Expected<rpc::Response>> PendingReplies::Entry::take() {
  const std::lock_guard lock(owner_.mutex_);
  return std::exchange(reply_, {});
}

Expected<rpc::Response> PendingReplies::Entry::wait(const Terms& terms) {
  std::unique_lock lock(owner_.mutex_);
  const auto is_there = [&] { return reply_.has_value(); };
  // time_point::max() would overflow when it is converted for the kernel.
  if (terms.deadline == Clock::time_point::max())
    owner_.changed_.wait(lock, terms.stop, is_there);
  else
    owner_.changed_.wait_until(lock, terms.stop, terms.deadline, is_there);
  if (!reply_) return fail(stop_error(terms));
  return *std::exchange(reply_, {});
}

bool PendingReplies::deliver(rpc::Response response) {
  std::int64_t id = 0;
  if (!response.id.is_number() || !response.id.fits_int64(id)) return false;
  std::stop_source answered;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second->reply_) return false;
    found->second->reply_.emplace(std::move(response));
    answered = found->second->answered_;
    changed_.notify_all();
  }
  answered.request_stop();  // runs callbacks, so not under the lock
  return true;
}

void PendingReplies::fail_all(const Error& error) {
  std::vector<std::stop_source> answered;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry->reply_) continue;
      entry->reply_.emplace(fail(error));
      answered.push_back(entry->answered_);
    }
    changed_.notify_all();
  }
  for (std::stop_source& source : answered) source.request_stop();
}

std::shared_ptr<const Caller> PendingReplies::only_caller() const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Caller> found;
  for (const auto& [id, entry] : entries_) {
    if (!entry->caller_) continue;
    // Calls of the same user are interchangeable. With two users it is unknown whom the server asks.
    if (found && (found->asker != entry->caller_->asker || found->sampler != entry->caller_->sampler))
      return {};
    found = entry->caller_;
  }
  return found;
}

}  // namespace helve::gateway
