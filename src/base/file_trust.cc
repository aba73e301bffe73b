#include "base/file_trust.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/path_steps.h"
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

// Whether files of all users that this namespace does not know appear under one id, the files of root among
// them.
bool hides_owners() {
  const auto map = read_file("/proc/self/uid_map", 4096);
  return map && !map->contains("4294967295");
}

bool is_trusted_owner(uid_t owner) {
  constexpr uid_t kUnknown = 65'534;
  return owner == ::geteuid() || owner == 0 || (owner == kUnknown && hides_owners());
}

Expected<void> check_owner(const std::string& path, const struct stat& status) {
  if (is_trusted_owner(status.st_uid)) return {};
  return fail(ErrorCode::kSecurity,
              concat(path, " belongs to another user (id ", status.st_uid, ", not ", ::geteuid(),
                     "), who can change it."),
              concat("Check its content, then run chown ", ::geteuid(), " ", path, "."));
}

// Who can write a directory can put another file in the place of each file in it.
Expected<void> check_directories_above(const std::string& real) {
  for (std::string at = real; at != "/";) {
    at.resize(std::max<std::size_t>(at.rfind('/'), 1));
    struct stat status{};
    if (::stat(at.c_str(), &status) != 0) return fail(system_error(concat("Cannot look at ", at), errno));
    if (auto owned = check_owner(at, status); !owned) return owned;
    if ((status.st_mode & S_ISVTX) != 0) continue;  // there, only owners can move their files
    // Groups of directories like /usr/local are the administrator's choice.
    if (status.st_uid == 0 && ::geteuid() != 0 && (status.st_mode & 0002) == 0) continue;
    if (status.st_uid == 0 && status.st_gid == 0 && (status.st_mode & 0002) == 0) continue;
    if (auto checked = check(at, status); !checked) return checked;
  }
  return {};
}

}  // namespace

Expected<void> check_writers(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fail(system_error(concat("Cannot look at ", path), errno));
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {};  // such as /dev/null
  if (auto owned = check_owner(path, status); !owned) return owned;
  if (auto checked = check(path, status); !checked) return checked;
  // Through symlinks: the file that counts, and the directory of the name.
  std::string named = path;
  if (!named.starts_with('/')) named = concat(real_path(".").value_or(""), "/", path);
  for (const std::string& step : path_steps(named))
    if (auto checked = check_directories_above(step); !checked) return checked;
  return {};
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
