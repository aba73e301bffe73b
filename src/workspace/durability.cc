#include "workspace/durability.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_io.h"

namespace helve {

int sync_file(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
  }
  return 0;
}

int sync_directory(int directory) {
  const UniqueFd readable(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A directory that we may write but not list cannot be opened for this; its file is safe all the same.
  if (!readable) return errno == EACCES ? 0 : errno;
  return sync_file(readable.get());
}

}  // namespace helve
