#include "process/process_info.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <set>

#include "base/directory_stream.h"
#include "base/strings.h"

namespace helve::process {
namespace {

constexpr std::size_t kMostProcessesForPorts = 500;

// Inode of each listening socket in the text of /proc/PID/net/tcp, and its port.
void add_listening(std::string_view table, std::map<std::uint64_t, std::uint16_t>& listening) {
  for (const std::string_view line : split(table, '\n')) {
    // `  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000  0 12345 …`
    std::vector<std::string_view> words;
    for (const std::string_view word : split(line, ' '))
      if (!word.empty()) words.push_back(word);
    constexpr std::size_t kLocal = 1, kState = 3, kInode = 9;
    if (words.size() <= kInode || words[kState] != "0A") continue;
    const std::size_t colon = words[kLocal].rfind(':');
    if (colon == std::string_view::npos) continue;
    std::uint16_t port = 0;
    std::uint64_t inode = 0;
    const std::string_view digits = words[kLocal].substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), port, 16);
    std::from_chars(words[kInode].data(), words[kInode].data() + words[kInode].size(), inode);
    listening.emplace(inode, port);
  }
}

std::string link_target(const std::string& path) {
  std::array<char, 256> buffer{};
  const ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// Inodes of the sockets that a process has, by its directory in /proc.
std::vector<std::uint64_t> open_sockets(const std::string& process) {
  std::vector<std::uint64_t> sockets;
  const DirectoryStream descriptors(::opendir((process + "/fd").c_str()));
  while (const dirent* entry = descriptors ? ::readdir(descriptors.get()) : nullptr) {
    const std::string target = link_target(concat(process, "/fd/", std::string_view(entry->d_name)));
    constexpr std::string_view kSocket = "socket:[";
    if (!target.starts_with(kSocket)) continue;
    std::from_chars(target.data() + kSocket.size(), target.data() + target.size(), sockets.emplace_back());
  }
  return sockets;
}

}  // namespace

std::vector<ProcStat> list_processes(const ProcessTree& tree) {
  std::vector<ProcStat> processes = find_descendants(tree.launcher, Search::kQuick);
  if (tree.own_pid_namespace)
    std::erase_if(processes, [&](const ProcStat& process) { return process.parent == tree.launcher; });
  std::erase_if(processes, [](const ProcStat& process) { return process.state == 'Z'; });
  return processes;
}

std::vector<std::uint16_t> find_listening_ports(const std::vector<ProcStat>& processes) {
  std::set<std::uint16_t> ports;
  std::string seen_namespace;
  std::map<std::uint64_t, std::uint16_t> listening;
  for (std::size_t i = 0; i < processes.size() && i < kMostProcessesForPorts; ++i) {
    const std::string base = concat("/proc/", processes[i].pid);
    // The kernel takes milliseconds to list a network's sockets, so nobody is asked who has none.
    const std::vector<std::uint64_t> sockets = open_sockets(base);
    if (sockets.empty()) continue;
    if (const std::string network = link_target(base + "/ns/net"); network != seen_namespace) {
      seen_namespace = network;
      listening.clear();
      add_listening(read_proc_file(base + "/net/tcp"), listening);
      add_listening(read_proc_file(base + "/net/tcp6"), listening);
    }
    for (const std::uint64_t inode : sockets)
      if (const auto port = listening.find(inode); port != listening.end()) ports.insert(port->second);
  }
  return {ports.begin(), ports.end()};
}

Usage read_usage(const ProcessTree& tree) {
  Usage usage;
  const std::vector<ProcStat> processes = list_processes(tree);
  std::uint64_t ticks = 0;
  for (const ProcStat& process : processes) {
    ticks += process.cpu_ticks;
    usage.memory_bytes += process.memory_bytes;
    if (std::ranges::find(usage.programs, process.name) == usage.programs.end())
      usage.programs.push_back(process.name);
  }
  usage.processes = processes.size();
  usage.cpu = std::chrono::milliseconds(ticks * 1000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
  usage.listening_ports = find_listening_ports(processes);
  return usage;
}

}  // namespace helve::process
