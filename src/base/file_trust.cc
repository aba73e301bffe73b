#include "base/file_trust.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve {
namespace {

// Whether the group is the one of this user's name and has no other member.
bool is_private_group(gid_t group) {
  std::array<char, 16'384> user_text;
  std::array<char, 16'384> group_text;
  passwd user{};
  passwd* found_user = nullptr;
  ::group entry{};
  ::group* found_group = nullptr;
  if (::getpwuid_r(::geteuid(), &user, user_text.data(), user_text.size(), &found_user) != 0 ||
      found_user == nullptr || user.pw_gid != group)
    return false;
  if (::getgrgid_r(group, &entry, group_text.data(), group_text.size(), &found_group) != 0 ||
      found_group == nullptr)
    return false;
  const std::string_view name = user.pw_name;
  if (name != entry.gr_name) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  return true;
}

Expected<void> check(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {};  // such as /dev/null
  if ((status.st_mode & 0002) != 0)
    return fail(ErrorCode::kSecurity, concat(path, " is writable by everyone."),
                concat("Check its content, then run chmod go-w ", path, "."));
  if ((status.st_mode & 0020) != 0 && !is_private_group(status.st_gid))
    return fail(ErrorCode::kSecurity, concat(path, " is writable by its group."),
                concat("Check its content, then run chmod g-w ", path, "."));
  return {};
}

}  // namespace

Expected<void> check_writers(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(system_error(concat("Cannot look at ", path), errno));
  return check(path, status);
}

Expected<void> check_own_directory(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return fail(system_error(concat("Cannot look at ", path), errno));
  }
  if (status.st_uid != ::geteuid())
    return fail(ErrorCode::kSecurity,
                concat(path, " belongs to another user (id ", status.st_uid, ", not ", ::geteuid(), ")."),
                concat("Run chown -R ", ::geteuid(), " ", path, " and chmod 700 ", path,
                       ", or use a directory of your own (XDG_STATE_HOME)."));
  return check(path, status);
}

}  // namespace helve
