#include "repository/own_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"

namespace helve::repository {

UniqueFd open_own_directory(int at, const char* name) {
  constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(at, name, O_RDONLY | kFlags));
  if (fd || errno != EACCES) return fd;
  const UniqueFd place(::openat(at, name, O_PATH | kFlags));
  struct stat status{};
  if (!place || ::fstat(place.get(), &status) != 0 || status.st_uid != ::geteuid()) return fd;
  const std::string handle = concat("/proc/self/fd/", place.get());
  if (::chmod(handle.c_str(), (status.st_mode & 07777U) | S_IRWXU) != 0) return fd;
  fd.reset(::openat(at, name, O_RDONLY | kFlags));
  return fd;
}

}  // namespace helve::repository
