#include "search/directory_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace helve::search {
namespace {

constexpr std::size_t kUsualBytes = std::size_t{256} << 10;
constexpr std::size_t kLeastRoom = std::size_t{32} << 10;  // small requests make many system calls

// Layout of a getdents64 record: inode, offset, record length, type, name.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kTypeAt = 18;
constexpr std::size_t kNameAt = 19;

std::uint64_t order_of(std::string_view name) {
  std::uint64_t order = 0;
  std::memcpy(&order, name.data(), name.size() < sizeof order ? name.size() : sizeof order);
  if constexpr (std::endian::native == std::endian::little) order = __builtin_bswap64(order);
  return order;
}

unsigned char type_by_status(int directory_fd, const char* name) {
  struct stat status{};
  if (::fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(status.st_mode));
}

}  // namespace

// Not initialised: pages that are never written cost no memory.
void DirectoryReader::resize_buffer(std::size_t bytes, std::size_t kept) {
  auto buffer = std::make_unique_for_overwrite<char[]>(bytes);
  if (kept > 0) std::memcpy(buffer.get(), buffer_.get(), kept);
  buffer_ = std::move(buffer);
  buffer_bytes_ = bytes;
}

int DirectoryReader::read(int directory_fd) {
  entries_.clear();
  if (buffer_bytes_ != kUsualBytes) resize_buffer(kUsualBytes, 0);
  std::size_t filled = 0;
  while (true) {
    if (buffer_bytes_ - filled < kLeastRoom) resize_buffer(buffer_bytes_ * 2, filled);
    const long count =
        ::syscall(SYS_getdents64, directory_fd, buffer_.get() + filled, buffer_bytes_ - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  for (std::size_t place = 0; place < filled;) {
    const char* record = buffer_.get() + place;
    std::uint16_t length = 0;
    std::memcpy(&length, record + kLengthAt, sizeof length);
    place += length;
    const std::string_view name(record + kNameAt);
    if (name == "." || name == "..") continue;
    auto type = static_cast<unsigned char>(record[kTypeAt]);
    if (type == DT_UNKNOWN) type = type_by_status(directory_fd, record + kNameAt);
    entries_.push_back({order_of(name), name, type});
  }
  return 0;
}

}  // namespace helve::search
