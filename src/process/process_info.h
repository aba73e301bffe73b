// Reads processes from /proc: their parents, state, CPU time, memory and listening ports.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helve::process {

struct ProcStat {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';               // R running, S sleeping, D uninterruptible, T stopped, Z zombie
  std::uint64_t cpu_ticks = 0;    // user and system, of all its threads
  std::uint64_t start_ticks = 0;  // since boot; pid and start time together identify a process
  std::uint64_t memory_bytes = 0;
  std::string name = {};  // of the program, at most 15 bytes
};

// Empty when there is no such process.
[[nodiscard]] std::optional<ProcStat> read_proc_stat(pid_t pid);

// Every visible process.
[[nodiscard]] std::vector<ProcStat> read_all_processes();

// The descendants of a process, parents before children, without itself. `kQuick` reads the kernel's lists of
// children: the cost is proportional to the result, but processes that start or exit meanwhile may be missed.
// `kThorough` reads all processes of the machine.
enum class Search { kQuick, kThorough };
[[nodiscard]] std::vector<ProcStat> find_descendants(pid_t ancestor, Search search);

// A whole small file of /proc; empty when it cannot be read.
[[nodiscard]] std::string read_proc_file(const std::string& path);

// Where a command's processes are: below its launcher, or below the init that the launcher started.
struct ProcessTree {
  pid_t launcher = -1;
  bool own_pid_namespace = false;
};

struct Usage {
  std::size_t processes = 0;
  std::chrono::milliseconds cpu{0};                 // of the living processes
  std::uint64_t memory_bytes = 0;                   // resident, summed
  std::vector<std::string> programs = {};           // names, each once, in the order of the tree
  std::vector<std::uint16_t> listening_ports = {};  // TCP, sorted
};

// The command's own processes, without launcher and init, parents first.
[[nodiscard]] std::vector<ProcStat> list_processes(const ProcessTree& tree);

[[nodiscard]] Usage read_usage(const ProcessTree& tree);

// TCP ports on which any of these processes listens, in their own network namespace.
[[nodiscard]] std::vector<std::uint16_t> find_listening_ports(const std::vector<ProcStat>& processes);

}  // namespace helve::process
