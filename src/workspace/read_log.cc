#include "workspace/read_log.h"

namespace helve {

void ReadLog::remember(const std::string& path, const FileIdentity& identity, std::string_view content) {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(path);
  if (known != entries_.end() && known->second.seen.content == content) {
    known->second.seen.identity = identity;
    by_age_.splice(by_age_.end(), by_age_, known->second.age);
    return;
  }
  forget_locked(path);
  if (content.size() > limits_.file_bytes) return;
  const auto age = by_age_.insert(by_age_.end(), path);
  entries_.emplace(path, Entry{{identity, std::string(content)}, age});
  bytes_ += content.size();
  while (bytes_ > limits_.bytes) forget_locked(std::string(by_age_.front()));
}

void ReadLog::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  forget_locked(path);
}

std::optional<ReadLog::Seen> ReadLog::last_seen(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(path);
  if (found == entries_.end()) return std::nullopt;
  return found->second.seen;
}

void ReadLog::forget_locked(const std::string& path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  bytes_ -= found->second.seen.content.size();
  by_age_.erase(found->second.age);
  entries_.erase(found);
}

void ReadLog::take_over(const ReadLog& other) {
  const std::lock_guard lock(other.mutex_);
  for (const std::string& path : other.by_age_) {
    const Seen& seen = other.entries_.at(path).seen;
    remember(path, seen.identity, seen.content);
  }
}

}  // namespace helve
