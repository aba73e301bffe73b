#include "workspace/file_write.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::workspace {
namespace {

struct Explanation {
  int error_number;
  ErrorCode code;
  std::string_view reason;
  std::string_view hint;
};

constexpr Explanation kExplanations[] = {
    {ENOSPC, ErrorCode::kExecutionFailed, "the disk is full", "Free some space and try again."},
    {EDQUOT, ErrorCode::kExecutionFailed, "the user's disk quota is used up",
     "Free some space or ask for a larger quota."},
    {EROFS, ErrorCode::kExecutionFailed, "the file system is mounted read-only",
     "Write elsewhere, or ask the user to remount it."},
    {EACCES, ErrorCode::kPermissionDenied, "the operating system denies it (no write permission)",
     "Ask the user to change the owner or mode of the file or its directory."},
    {EPERM, ErrorCode::kPermissionDenied,
     "the operating system does not permit it (perhaps an immutable or append-only file, or a sticky "
     "directory)",
     "Ask the user to check lsattr and the owner."},
    {EIO, ErrorCode::kExecutionFailed, "the disk reported an input/output error",
     "The device may be failing. Check the kernel log (dmesg) before you continue."},
    {EFBIG, ErrorCode::kExecutionFailed, "the file would be larger than the file system or a limit allows",
     "Write less, or raise the limit (ulimit -f)."},
    {EBUSY, ErrorCode::kExecutionFailed, "it is in use by the system, for instance as a mount point",
     "Choose another path."},
    {EXDEV, ErrorCode::kExecutionFailed, "the two places are on different file systems",
     "Write the new file and remove the old one instead."},
    {ENAMETOOLONG, ErrorCode::kInvalidArgument, "the name is too long for this file system",
     "Use a shorter name."},
    {ENOENT, ErrorCode::kConflict, "its directory was removed meanwhile", "Check with ls and try again."},
    {EMLINK, ErrorCode::kExecutionFailed, "the directory is full", "Choose another directory."},
    {EMFILE, ErrorCode::kUnavailable, "too many files are open", "Try again when other calls are done."},
    {ENFILE, ErrorCode::kUnavailable, "too many files are open", "Try again when other calls are done."},
};

}  // namespace

int sync_file(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
  }
  return 0;
}

int sync_directory(int directory) {
  const UniqueFd readable(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A directory without read permission cannot be opened for this; the file itself is synced.
  if (!readable) return errno == EACCES ? 0 : errno;
  return sync_file(readable.get());
}

int write_pieces(int fd, std::span<const std::string_view> pieces) {
  off_t offset = 0;
  std::size_t next = 0;     // the first piece that is not completely written
  std::size_t written = 0;  // bytes of it that are written
  std::vector<iovec> batch;
  while (next < pieces.size()) {
    batch.clear();
    for (std::size_t i = next; i < pieces.size() && batch.size() < IOV_MAX; ++i) {
      const std::string_view rest = i == next ? pieces[i].substr(written) : pieces[i];
      // pwritev only reads; its interface predates const.
      batch.push_back({const_cast<char*>(rest.data()), rest.size()});
    }
    const ssize_t count = ::pwritev(fd, batch.data(), static_cast<int>(batch.size()), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    offset += count;
    std::size_t done = static_cast<std::size_t>(count);
    while (next < pieces.size() && done >= pieces[next].size() - written) {
      done -= pieces[next].size() - written;
      written = 0;
      ++next;
    }
    written += done;
  }
  return 0;
}

Error write_error(std::string_view action, std::string_view path, int error_number) {
  const std::string shown = printable_path(path);
  const JsonObject details{{"path", shown}, {"errno", error_number}};
  for (const Explanation& known : kExplanations) {
    if (known.error_number == error_number)
      return {known.code, concat("Cannot ", action, " ", shown, ": ", known.reason, "."),
              std::string(known.hint), details, known.code == ErrorCode::kUnavailable};
  }
  return {ErrorCode::kExecutionFailed,
          concat("Cannot ", action, " ", shown, ": ", errno_text(error_number), "."), "", details};
}

}  // namespace helve::workspace
