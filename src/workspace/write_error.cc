#include "workspace/write_error.h"

#include <cerrno>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve {
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
     "Ask the user to change owner or mode of the file or its directory."},
    {EPERM, ErrorCode::kPermissionDenied,
     "the operating system does not permit it (perhaps an immutable or append-only file, or a sticky "
     "directory)",
     "Ask the user to look at lsattr and at the owner."},
    {EIO, ErrorCode::kExecutionFailed, "the disk reported an input/output error",
     "The device may be failing; look at the kernel log (dmesg) before going on."},
    {EFBIG, ErrorCode::kExecutionFailed, "the file would be larger than the file system or a limit allows",
     "Write less, or raise the limit (ulimit -f)."},
    {EBUSY, ErrorCode::kExecutionFailed, "it is in use by the system, for instance as a mount point",
     "Choose another path."},
    {EXDEV, ErrorCode::kExecutionFailed, "the two places are on different file systems",
     "Write the new file and remove the old one instead."},
    {ENAMETOOLONG, ErrorCode::kInvalidArgument, "the name is too long for this file system",
     "Use a shorter name."},
    {ENOENT, ErrorCode::kConflict, "its directory was removed meanwhile", "Look with ls and try again."},
    {EMLINK, ErrorCode::kExecutionFailed, "the directory is full", "Choose another directory."},
    {EMFILE, ErrorCode::kUnavailable, "too many files are open", "Try again when other calls are done."},
    {ENFILE, ErrorCode::kUnavailable, "too many files are open", "Try again when other calls are done."},
};

}  // namespace

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

}  // namespace helve
