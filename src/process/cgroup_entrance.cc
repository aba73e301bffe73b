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
  for (const std::string& directory : directories) {
    UniqueFd members(::open(concat(directory, "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!members) return fail(system_error(concat("Cannot open the cgroup ", directory), errno));
    entrance.members_.push_back(std::move(members));
  }
  if (directories.size() == 1) {
    UniqueFd directory(::open(directories[0].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory && is_version_two(directory.get())) entrance.birthplace_ = std::move(directory);
  }
  return entrance;
}

void CgroupEntrance::announce() const {
  if (members_.empty() || birthplace_) return;
  if (::fork() != 0) return;
  static_cast<void>(join());
  ::_exit(0);
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
