// What the processes of one command use: time, memory, ports.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "process/proc_stat.h"

namespace helve::process {

// Where a command's processes are found: below its launcher, or below the init that the launcher started.
struct ProcessTree {
  pid_t launcher = -1;
  bool own_pid_namespace = false;
};

struct Usage {
  std::size_t processes = 0;
  std::chrono::milliseconds cpu{0};                 // of the processes that live now
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
