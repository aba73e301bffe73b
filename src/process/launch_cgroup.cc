#include "process/launch_cgroup.h"

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

std::optional<sandbox::Cgroup> make_cgroup(Launch& launch) {
  sandbox::Limits& limits = launch.plan.limits;
  if (limits.processes == 0 && limits.memory_bytes == 0) return {};
  auto cgroup = sandbox::Cgroup::create(limits);
  if (!cgroup) return {};
  launch.cgroups = cgroup->directories();
  limits.in_cgroup = true;
  return *std::move(cgroup);
}

Expected<CgroupHandles> CgroupHandles::open(const std::vector<std::string>& directories) {
  CgroupHandles handles;
  for (const std::string& path : directories) {
    UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const bool is_unified = directory && is_version_two(directory.get());
    UniqueFd members(
        ::open(concat(path, is_unified ? "/cgroup.procs" : "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
    if (!members) return fail(system_error(concat("Cannot open the cgroup ", path), errno));
    handles.members_.push_back(std::move(members));
    if (is_unified) handles.unified_ = std::move(directory);  // at most one has version 2
  }
  return handles;
}

pid_t CgroupHandles::fork_into() {
  if (unified_) {
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<std::uint64_t>(unified_.get());
    created_inside_ = true;
    const auto child = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (child >= 0) return child;
    created_inside_ = false;
  }
  return ::fork();
}

Expected<void> CgroupHandles::join() const {
  if (created_inside_) return {};
  for (const UniqueFd& members : members_)
    if (::write(members.get(), "0", 1) != 1)
      return fail(system_error("Cannot join the command's cgroup", errno));
  return {};
}

}  // namespace helve::process
