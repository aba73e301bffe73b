#include "mcp/event_log.h"

#include "base/strings.h"
#include "base/to_number.h"

namespace helve::mcp {

void EventLog::append(std::string text) {
  if (finished_) return;
  bytes_ += text.size();
  events_.push_back(std::move(text));
  while (bytes_ > most_bytes_ && events_.size() > 1) {
    bytes_ -= events_.front().size();
    events_.pop_front();
    ++first_;
  }
}

void EventLog::add(std::string text) {
  const std::lock_guard lock(mutex_);
  append(std::move(text));
  changed_.notify_all();
}

void EventLog::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void EventLog::finish(std::string last) {
  const std::lock_guard lock(mutex_);
  append(std::move(last));
  finished_ = true;
  changed_.notify_all();
}

void EventLog::interrupt() {
  const std::lock_guard lock(mutex_);
  ++carrier_;
  changed_.notify_all();
}

std::uint64_t EventLog::carry() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  return ++carrier_;
}

EventLog::Next EventLog::after(std::uint64_t number, std::uint64_t carrier, const std::stop_token& stop,
                               std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] { return first_ + events_.size() > number + 1; };
  changed_.wait_for(lock, stop, wait, [&] { return is_there() || finished_ || carrier_ != carrier; });
  if (carrier_ != carrier) return {.kind = Next::Kind::kInterrupted};
  if (is_there()) {
    const std::uint64_t next = std::max(number + 1, first_);
    return {Next::Kind::kEvent, events_[next - first_], next};
  }
  return {.kind = finished_ ? Next::Kind::kFinished : Next::Kind::kNothing};
}

std::uint64_t EventLog::carried() const {
  const std::lock_guard lock(mutex_);
  return carried_;
}

void EventLog::mark_carried(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  carried_ = std::max(carried_, number);
}

std::string EventLog::id_of(std::uint64_t number) const {
  return concat(std::to_string(stream_), "-", std::to_string(number));
}

bool EventLog::is_finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

std::optional<std::string> EventLog::only_event() const {
  const std::lock_guard lock(mutex_);
  if (!finished_ || events_.size() != 1 || first_ != 1) return {};
  return events_.front();
}

std::optional<EventId> read_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto stream = to_number<decltype(EventId::stream)>(text.substr(0, dash));
  const auto number = to_number<decltype(EventId::number)>(text.substr(dash + 1));
  if (!stream || !number) return {};
  return EventId{.stream = *stream, .number = *number};
}

}  // namespace helve::mcp
