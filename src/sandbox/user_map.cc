#include "sandbox/user_map.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/strings.h"
#include "sandbox/capabilities.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

// Returns 0 or an errno. The kernel accepts a map only in a single write.
int write_whole(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return errno;
  return ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

// Runs in the child that stayed in the old namespace.
[[noreturn]] void write_maps_for(pid_t process, int go_ahead, const std::string& users,
                                 const std::string& groups) {
  char byte = 0;
  if (::read(go_ahead, &byte, 1) != 1) ::_exit(0);
  int error = write_whole(concat("/proc/", process, "/uid_map"), users);
  if (error == 0) error = write_whole(concat("/proc/", process, "/gid_map"), groups);
  ::_exit(error);
}

Error map_error(std::string_view what, int error_number) {
  return part_error(Part::kUserNamespace, what, error_number, user_namespace_hint());
}

}  // namespace

UniqueFd make_namespace_without_self() {
  int ready[2];
  int done[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) return {};
  UniqueFd ready_to_read(ready[0]);
  UniqueFd ready_to_write(ready[1]);
  if (::pipe2(done, O_CLOEXEC) != 0) return {};
  UniqueFd done_to_read(done[0]);
  UniqueFd done_to_write(done[1]);
  const std::string users =
      concat("1 ", ::geteuid(), " 1\n");  // our user is 1 there, and no user maps to itself
  const std::string groups = concat("1 ", ::getegid(), " 1\n");
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) {
    done_to_write.reset();
    char byte = 0;
    if (::unshare(CLONE_NEWUSER) != 0 || write_whole("/proc/self/setgroups", "deny") != 0 ||
        write_whole("/proc/self/uid_map", users) != 0 || write_whole("/proc/self/gid_map", groups) != 0 ||
        ::write(ready_to_write.get(), "", 1) != 1)
      ::_exit(1);
    static_cast<void>(!::read(done_to_read.get(), &byte, 1));
    ::_exit(0);
  }
  ready_to_write.reset();
  char byte = 0;
  UniqueFd other_users;
  if (::read(ready_to_read.get(), &byte, 1) == 1)
    other_users.reset(::open(concat("/proc/", child, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  const int error = errno;
  done_to_write.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  errno = error;
  return other_users;
}

std::string identity_map(std::string_view map) {
  std::string identity;
  for (const std::string_view line : split(map, '\n')) {
    std::vector<std::string_view> numbers;
    for (const std::string_view piece : split(line, ' '))
      if (!piece.empty()) numbers.push_back(piece);
    if (numbers.size() == 3) identity += concat(numbers[0], " ", numbers[0], " ", numbers[2], "\n");
  }
  return identity;
}

Expected<UserMap> UserMap::prepare() {
  UserMap map;
  map.user_ = ::geteuid();
  map.group_ = ::getegid();
  if (map.user_ != 0 || !may_map_all_users()) return map;
  const Expected<std::string> users = read_file("/proc/self/uid_map");
  const Expected<std::string> groups = read_file("/proc/self/gid_map");
  if (!users || !groups) return map;
  const std::string all_users = identity_map(*users);
  const std::string all_groups = identity_map(*groups);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(map_error("make a pipe", errno));
  const UniqueFd waiting(ends[0]);
  UniqueFd go_ahead(ends[1]);
  const pid_t process = ::getpid();
  map.writer_ = ::fork();
  if (map.writer_ < 0) return fail(map_error("start a process", errno));
  if (map.writer_ == 0) {
    go_ahead.reset();
    write_maps_for(process, waiting.get(), all_users, all_groups);
  }
  map.go_ahead_ = std::move(go_ahead);
  return map;
}

UserMap::UserMap(UserMap&& other) noexcept
    : user_(other.user_),
      group_(other.group_),
      writer_(std::exchange(other.writer_, -1)),
      go_ahead_(std::move(other.go_ahead_)) {}

UserMap::~UserMap() { static_cast<void>(finish_writer()); }

int UserMap::finish_writer() {
  go_ahead_.reset();
  if (writer_ < 0) return 0;
  const pid_t writer = std::exchange(writer_, -1);
  int status = 0;
  while (::waitpid(writer, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

Expected<void> UserMap::apply() {
  if (writer_ < 0) return map_self();
  if (::write(go_ahead_.get(), "", 1) != 1) return fail(map_error("reach the writer of the user map", errno));
  if (const int error = finish_writer(); error != 0) return fail(map_error("write the user map", error));
  return {};
}

Expected<void> UserMap::map_self() const {
  // Otherwise an ordinary user could drop a group that denies access.
  if (const int error = write_whole("/proc/self/setgroups", "deny"); error != 0 && error != ENOENT)
    return fail(map_error("write /proc/self/setgroups", error));
  if (const int error = write_whole("/proc/self/uid_map", concat(user_, " ", user_, " 1\n")); error != 0)
    return fail(map_error("write /proc/self/uid_map", error));
  if (const int error = write_whole("/proc/self/gid_map", concat(group_, " ", group_, " 1\n")); error != 0)
    return fail(map_error("write /proc/self/gid_map", error));
  return {};
}

}  // namespace helve::sandbox
