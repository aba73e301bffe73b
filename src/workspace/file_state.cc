#include "workspace/file_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/file_io.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kChunk = std::size_t{256} * 1024;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Passes each chunk to `take`, which returns false to stop. Returns false when stopped.
template <class Take>
Expected<bool> for_each_chunk(int fd, const Take& take) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunk);
  off_t offset = 0;
  while (true) {
    const ssize_t count = ::pread(fd, buffer.get(), kChunk, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("Cannot read the current content", errno));
    if (count == 0) return true;
    if (!take(std::string_view(buffer.get(), static_cast<std::size_t>(count)))) return false;
    offset += count;
  }
}

}  // namespace

FileIdentity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

bool is_same_inode(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool is_named(int directory, const std::string& name, int fd) {
  struct stat named;
  struct stat held;
  return ::fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd, &held) == 0 &&
         is_same_inode(named, held);
}

Expected<bool> ExpectedState::matches_file(int fd) const {
  if (is_absent()) return false;
  std::string_view rest = bytes_;
  const auto same = for_each_chunk(fd, [&](std::string_view chunk) {
    if (!rest.starts_with(chunk)) return false;
    rest.remove_prefix(chunk.size());
    return true;
  });
  if (!same) return same;
  return *same && rest.empty();
}

bool ExpectedState::matches_pieces(std::span<const std::string_view> pieces) const {
  if (is_absent()) return false;
  std::string_view rest = bytes_;
  for (const std::string_view piece : pieces) {
    if (!rest.starts_with(piece)) return false;
    rest.remove_prefix(piece.size());
  }
  return rest.empty();
}

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

}  // namespace helve::workspace
