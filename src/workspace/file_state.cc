#include "workspace/file_state.h"

#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/file_io.h"

namespace helve {
namespace {

constexpr std::size_t kChunk = std::size_t{256} * 1024;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Hands each chunk to `take`, which returns false to stop early. False when it stopped.
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

}  // namespace helve
