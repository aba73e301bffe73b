#include "process/cgroup_entrance.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/strings.h"

namespace helve::process {
namespace {

bool is_version_two(int fd) {
  struct statfs system{};
  return ::fstatfs(fd, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

}  // namespace

Expected<CgroupEntrance> CgroupEntrance::open(const std::vector<std::string>& directories) {
  CgroupEntrance entrance;
  for (const std::string& path : directories) {
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const bool is_new = directory && is_version_two(directory.get());
    UniqueFd members(::open(concat(path, is_new ? "/cgroup.procs" : "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
    if (!members) return fail(system_error(concat("Cannot open the cgroup ", path), errno));
    entrance.members_.push_back(std::move(members));
    if (is_new) entrance.birthplace_ = std::move(directory);  // there is one at most
  }
  return entrance;
}

pid_t CgroupEntrance::fork_inside() {
  if (birthplace_) {
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<std::uint64_t>(birthplace_.get());
    born_inside_ = true;
    const auto child = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (child >= 0) return child;
    born_inside_ = false;
  }
  return ::fork();
}

Expected<void> CgroupEntrance::join() const {
  if (born_inside_) return {};
  for (const UniqueFd& members : members_)
    if (::write(members.get(), "0", 1) != 1)
      return fail(system_error("Cannot join the command's cgroup", errno));
  return {};
}

}  // namespace helve::process
