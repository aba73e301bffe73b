#include "changes/write_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

bool is_read_only(const workspace::WriteTarget& target, const struct stat& status) {
  if (::geteuid() == 0) return (status.st_mode & S_IWUSR) == 0;
  return ::faccessat(target.directory.get(), target.name.c_str(), W_OK, AT_EACCESS) != 0 &&
         (errno == EACCES || errno == EPERM);
}

bool is_mount_point(const workspace::WriteTarget& target) {
  struct statx status{};
  return ::statx(target.directory.get(), target.name.c_str(), AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
         (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

Expected<void> check_writable(const workspace::WriteTarget& target, const struct stat& status) {
  if (!is_read_only(target, status)) return {};
  const std::string shown = workspace::printable_path(target.path);
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return fail(
      ErrorCode::kPermissionDenied, concat(shown, " is read-only (mode ", mode, "). Nothing was written."),
      concat("Ask the user whether to change it. If so, make it writable first, for example with chmod u+w ",
             shown, "."),
      JsonObject{{"path", shown}, {"mode", std::string(mode)}});
}

std::string why_in_place(const workspace::WriteTarget& target, const struct stat& status) {
  if (status.st_nlink > 1)
    return concat("has ", status.st_nlink, " hard links, so writing it changes all of them");
  if (is_mount_point(target)) return "is a mount point, so it can only be written in place";
  if (::faccessat(target.directory.get(), ".", W_OK, AT_EACCESS) != 0 && errno == EACCES &&
      ::faccessat(target.directory.get(), target.name.c_str(), W_OK, AT_EACCESS) == 0)
    return "is in a directory that is not writable, so it can only be written in place";
  return {};
}

}  // namespace helve::changes
