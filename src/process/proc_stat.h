// One look at processes through /proc: who they are, whose children, what they do and how much they use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helve::process {

struct ProcStat {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // R running, S sleeping, D in the kernel, T stopped, Z dead and not waited for
  std::uint64_t cpu_ticks = 0;    // user and system, of all its threads
  std::uint64_t start_ticks = 0;  // since boot; with the pid, this names a process for good
  std::uint64_t memory_bytes = 0;
  std::string name = {};  // of the program, at most 15 bytes
};

// None when there is no such process (any more).
[[nodiscard]] std::optional<ProcStat> read_proc_stat(pid_t pid);

// Every process that can be seen.
[[nodiscard]] std::vector<ProcStat> read_all_processes();

// The descendants of a process, parents before children, without itself. `kQuick` asks the kernel for
// children lists, which costs in proportion to the answer but may miss what is being born or dies meanwhile;
// `kThorough` goes through all processes of the machine.
enum class Search { kQuick, kThorough };
[[nodiscard]] std::vector<ProcStat> find_descendants(pid_t ancestor, Search search);

// A small file of /proc as a whole; empty when it cannot be read.
[[nodiscard]] std::string read_proc_file(const std::string& path);

}  // namespace helve::process
