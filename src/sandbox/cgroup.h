// A cgroup that limits the memory and number of a command's processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// Created by Helve outside the sandbox, one per command. Uses version 2 if a parent with the controllers is
// writable, otherwise version 1 (root only). The destructor kills the remaining processes and removes the
// cgroup. Not thread-safe.
class Cgroup {
 public:
  // Limits memory and processes; 0: no limit. UNAVAILABLE when no cgroup can be created.
  [[nodiscard]] static Expected<Cgroup> create(const Limits& limits);
  Cgroup(Cgroup&&) = default;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  // 0: the caller itself.
  [[nodiscard]] Expected<void> add(pid_t process = 0) const;
  void kill_all() const;
  // How many of its processes the kernel has ended because the memory was full.
  [[nodiscard]] std::uint64_t memory_kills() const;
  // One per controller in version 1. Writing "0" to cgroup.procs in each adds the writer.
  [[nodiscard]] const std::vector<std::string>& directories() const { return directories_; }

  // Removes the cgroups of Helve processes that have ended, and kills their processes. Returns the number
  // removed.
  static std::size_t sweep();

 private:
  Cgroup() = default;
  std::vector<std::string> directories_;
};

// "oom_kill 3" in the text of memory.events, memory.oom_control or /proc/vmstat; 0 when it is not there.
[[nodiscard]] std::uint64_t memory_kills_in(std::string_view text);

// The cgroups of this process.
struct CgroupMembership {
  std::string unified = {};  // version 2 directory; empty: none
  std::string unified_top = {};
  std::string memory = {};  // version 1 directories
  std::string pids = {};
  bool operator==(const CgroupMembership&) const = default;
};
// From the texts of /proc/self/mountinfo and /proc/self/cgroup.
[[nodiscard]] CgroupMembership find_cgroup_membership(std::string_view mounts, std::string_view membership);

}  // namespace helve::sandbox
