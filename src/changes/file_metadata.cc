#include "changes/file_metadata.h"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

constexpr std::string_view kAccessList = "system.posix_acl_access";
// They are tied to the old content: the kernel drops them on any write, and so do we.
constexpr std::string_view kTiedToContent[] = {"security.capability", "security.ima", "security.evm"};

// Calls `get(buffer, size)` with a buffer that is large enough. False on an error, with errno set.
template <class Get>
bool read_growing(std::string& out, const Get& get) {
  while (true) {
    const ssize_t size = get(nullptr, std::size_t{0});
    if (size < 0) return false;
    out.resize(static_cast<std::size_t>(size));
    if (size == 0) return true;
    const ssize_t count = get(out.data(), out.size());
    if (count < 0 && errno == ERANGE) continue;
    if (count < 0) return false;
    out.resize(static_cast<std::size_t>(count));
    return true;
  }
}

bool list_attributes(int fd, std::vector<std::string>& names) {
  std::string listed;
  if (!read_growing(listed, [&](char* data, std::size_t size) { return ::flistxattr(fd, data, size); }))
    return errno == ENOTSUP;
  for (const std::string_view name : split(listed, '\0'))
    if (!name.empty()) names.emplace_back(name);
  return true;
}

bool read_attribute(int fd, const std::string& name, std::string& value) {
  return read_growing(
      value, [&](char* data, std::size_t size) { return ::fgetxattr(fd, name.c_str(), data, size); });
}

std::unexpected<Error> access_list_error(std::string_view path, int error_number) {
  return fail(ErrorCode::kExecutionFailed,
              concat("The access control list of ", workspace::printable_path(path),
                     " cannot be kept: ", errno_text(error_number), "."),
              "Without it, others could read the file. Ask the user to check it with getfacl.",
              JsonObject{{"path", workspace::printable_path(path)}, {"errno", error_number}});
}

}  // namespace

Expected<std::vector<std::string>> copy_metadata(int from, const struct stat& status, int to,
                                                 std::string_view path) {
  std::vector<std::string> not_kept;
  struct stat fresh;
  if (::fstat(to, &fresh) != 0) return fail(system_error("Cannot stat the new file", errno));
  mode_t mode = status.st_mode & 07777;
  if (fresh.st_gid != status.st_gid && ::fchown(to, static_cast<uid_t>(-1), status.st_gid) != 0) {
    not_kept.push_back(concat("group ", status.st_gid));
    mode &= ~static_cast<mode_t>(S_ISGID);
    // The other group gets no more rights than all users had.
    mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3);
  }
  if (fresh.st_uid != status.st_uid && ::fchown(to, status.st_uid, static_cast<gid_t>(-1)) != 0) {
    not_kept.push_back(concat("owner ", status.st_uid));
    mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
  }
  if (::fchmod(to, mode) != 0) return fail(system_error("Cannot set the mode of the new file", errno));
  constexpr mode_t kSetIds = S_ISUID | S_ISGID;
  if ((mode & kSetIds) != (status.st_mode & kSetIds))
    not_kept.emplace_back("set-user-ID or set-group-ID bit");

  std::vector<std::string> names;
  if (!list_attributes(from, names)) return access_list_error(path, errno);
  for (const std::string& name : names) {
    if (std::ranges::find(kTiedToContent, name) != std::end(kTiedToContent)) {
      not_kept.push_back(name);
      continue;
    }
    std::string value;
    std::string present;
    const bool readable = read_attribute(from, name, value);
    if (readable && read_attribute(to, name, present) && present == value) continue;
    if (readable && ::fsetxattr(to, name.c_str(), value.data(), value.size(), 0) == 0) continue;
    if (name.starts_with("system.")) return access_list_error(path, errno);
    not_kept.push_back(name);
  }
  // The new file inherited the directory's default list; the old file had none.
  if (std::ranges::find(names, kAccessList) == names.end() &&
      ::fremovexattr(to, std::string(kAccessList).c_str()) != 0 && errno != ENODATA && errno != ENOTSUP)
    return access_list_error(path, errno);
  return not_kept;
}

}  // namespace helve::changes
