#include "effects/kept_objects.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/strings.h"

namespace helve::effects {
namespace {

constexpr std::size_t kPiece = std::size_t{128} << 10;

std::string object_name(std::uint64_t number) { return std::to_string(number); }

int copy_range(int from, int to, off_t start, off_t end) {
  off_t in = start;
  off_t out = start;
  while (in < end) {
    const ssize_t done = ::copy_file_range(from, &in, to, &out, static_cast<std::size_t>(end - in), 0);
    if (done > 0) continue;
    if (done == 0) return 0;  // it became shorter meanwhile
    if (errno == EINTR) continue;
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP && errno != EPERM)
      return errno;
    break;
  }
  std::vector<char> buffer(kPiece);
  while (in < end) {
    const ssize_t got = ::pread(from, buffer.data(),
                                std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(end - in)), in);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    for (ssize_t written = 0; written < got;) {
      const ssize_t count =
          ::pwrite(to, buffer.data() + written, static_cast<std::size_t>(got - written), in + written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      written += count;
    }
    in += got;
  }
  return 0;
}

}  // namespace

int copy_bytes(int from, int to) {
  if (::ioctl(to, FICLONE, from) == 0) return 0;
  struct stat status;
  if (::fstat(from, &status) != 0) return errno;
  const off_t size = status.st_size;
  if (size == 0) return 0;
  if (::ftruncate(to, size) != 0) return errno;
  for (off_t at = 0; at < size;) {
    const off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return 0;  // only a hole is left
    const off_t start = data < 0 ? at : data;
    const off_t hole = data < 0 ? -1 : ::lseek(from, start, SEEK_HOLE);
    const off_t end = hole < 0 ? size : std::min(hole, size);
    if (const int error = copy_range(from, to, start, end); error != 0) return error;
    at = end;
  }
  return 0;
}

bool same_bytes(int one, int other) {
  std::vector<char> first(kPiece);
  std::vector<char> second(kPiece);
  for (off_t at = 0;;) {
    const ssize_t had = ::pread(one, first.data(), first.size(), at);
    if (had < 0 && errno == EINTR) continue;
    if (had < 0) return false;
    ssize_t matched = 0;
    while (matched < had) {
      const ssize_t got =
          ::pread(other, second.data() + matched, static_cast<std::size_t>(had - matched), at + matched);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      matched += got;
    }
    if (had == 0) return ::pread(other, second.data(), 1, at) == 0;
    if (std::memcmp(first.data(), second.data(), static_cast<std::size_t>(had)) != 0) return false;
    at += had;
  }
}

Expected<KeptObjects> KeptObjects::open(int parent, const std::string& name) {
  if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST)
    return fail(system_error("Cannot create a directory to keep what a command changes", errno));
  UniqueFd directory(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory)
    return fail(system_error("Cannot open the directory that keeps what a command changes", errno));
  return KeptObjects(std::move(directory));
}

int KeptObjects::link(const Spot& spot, std::uint64_t number) const {
  return ::linkat(spot.directory.get(), spot.name.c_str(), directory_.get(), object_name(number).c_str(),
                  0) == 0
             ? 0
             : errno;
}

int KeptObjects::copy(const Spot& spot, std::uint64_t number) const {
  const UniqueFd from(::openat(spot.directory.get(), spot.name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!from) return errno;
  struct stat status;
  if (::fstat(from.get(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  const std::string name = object_name(number);
  const UniqueFd to(
      ::openat(directory_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to) return errno;
  const int error = copy_bytes(from.get(), to.get());
  if (error != 0) ::unlinkat(directory_.get(), name.c_str(), 0);
  return error;
}

NodeState KeptObjects::node(std::uint64_t number) const {
  return node_in({UniqueFd(::fcntl(directory_.get(), F_DUPFD_CLOEXEC, 0)), object_name(number)});
}

Expected<UniqueFd> KeptObjects::open_object(std::uint64_t number) const {
  UniqueFd fd(::openat(directory_.get(), object_name(number).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  // The file may have been unreadable for its owner.
  if (!fd && errno == EACCES && ::fchmodat(directory_.get(), object_name(number).c_str(), 0600, 0) == 0)
    fd.reset(::openat(directory_.get(), object_name(number).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail(system_error("Cannot open content that the history keeps", errno));
  return fd;
}

void KeptObjects::remove(std::uint64_t number) const {
  ::unlinkat(directory_.get(), object_name(number).c_str(), 0);
}

int KeptObjects::link_to(std::uint64_t number, const Spot& spot) const {
  return ::linkat(directory_.get(), object_name(number).c_str(), spot.directory.get(), spot.name.c_str(),
                  0) == 0
             ? 0
             : errno;
}

}  // namespace helve::effects
