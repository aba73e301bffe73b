// A group of processes whose memory and number the kernel counts as a whole.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// Made by Helve outside of the walls, one per command, which is born inside of it or joins before it runs.
// Uses version 2 where a parent with the controllers can be written, otherwise version 1 (root). Dropping it
// kills what is left inside and removes it. One thread at a time.
class Cgroup {
 public:
  // Limits for memory and processes; 0 is none. UNAVAILABLE when this machine gives no cgroup.
  [[nodiscard]] static Expected<Cgroup> create(const Limits& limits);
  Cgroup(Cgroup&&) = default;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();

  // 0: the caller itself.
  [[nodiscard]] Expected<void> add(pid_t process = 0) const;
  void kill_all() const;
  // One per controller in version 1. Writing "0" to cgroup.procs in each adds the writer.
  [[nodiscard]] const std::vector<std::string>& directories() const { return directories_; }

  // Removes those of Helve processes that are gone, with everything in them; the number removed.
  static std::size_t sweep();

 private:
  Cgroup() = default;
  std::vector<std::string> directories_;
};

// Where this process sits in the cgroup trees.
struct CgroupSeat {
  std::string unified = {};  // directory of version 2; empty: none
  std::string unified_top = {};
  std::string memory = {};  // directories of version 1
  std::string pids = {};
  bool operator==(const CgroupSeat&) const = default;
};
// From the texts of /proc/self/mountinfo and /proc/self/cgroup.
[[nodiscard]] CgroupSeat find_cgroup_seat(std::string_view mounts, std::string_view membership);

}  // namespace helve::sandbox
