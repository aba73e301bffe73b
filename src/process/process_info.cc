#include "process/process_info.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::process {
namespace {

constexpr std::size_t kMostDescendants = 100'000;

// The entries of a directory whose names are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  const DirectoryStream directory(::opendir(path.c_str()));
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (const auto number = to_number<pid_t>(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

std::optional<ProcStat> parse_stat(pid_t pid, std::string_view text) {
  // The name is in parentheses and may itself contain some.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcStat stat;
  stat.pid = pid;
  stat.name = text.substr(open + 1, close - open - 1);
  if (close + 2 >= text.size()) return {};
  const std::vector<std::string_view> fields = split(trim(text.substr(close + 2)), ' ');
  // Field 3 of proc(5) is fields[0] here.
  constexpr std::size_t kState = 0, kParent = 1, kUser = 11, kSystem = 12, kStart = 19, kResident = 21;
  if (fields.size() <= kResident || fields[kState].empty()) return {};
  const auto number = [&](std::size_t field) { return to_number<std::uint64_t>(fields[field]).value_or(0); };
  stat.state = fields[kState][0];
  stat.parent = static_cast<pid_t>(number(kParent));
  stat.cpu_ticks = number(kUser) + number(kSystem);
  stat.start_ticks = number(kStart);
  stat.memory_bytes = number(kResident) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return stat;
}

// Adds the kernel's list of children of every thread of `pid` to `found`. False when the kernel keeps no
// lists.
bool add_children(pid_t pid, std::vector<ProcStat>& found) {
  const std::string tasks = concat("/proc/", pid, "/task");
  for (const pid_t thread : numbers_in(tasks)) {
    const std::string path = concat(tasks, "/", thread, "/children");
    const std::string text = read_proc_file(path);
    if (text.empty() && ::access(path.c_str(), F_OK) != 0 && ::access(tasks.c_str(), F_OK) == 0) {
      if (read_proc_stat(thread)) return false;
    }
    for (const std::string_view word : split(text, ' ')) {
      const auto child = to_number<pid_t>(trim(word));
      if (auto stat = child ? read_proc_stat(*child) : std::nullopt) found.push_back(std::move(*stat));
    }
  }
  return true;
}

std::vector<ProcStat> thorough_descendants(pid_t ancestor) {
  std::vector<ProcStat> all = read_all_processes();
  std::unordered_map<pid_t, std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < all.size(); ++i) children[all[i].parent].push_back(i);
  std::vector<ProcStat> found;
  std::vector<pid_t> waiting = {ancestor};
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const auto entry = children.find(waiting[next]);
    if (entry == children.end()) continue;
    for (const std::size_t i : entry->second) {
      if (all[i].pid == ancestor) continue;
      waiting.push_back(all[i].pid);
      found.push_back(std::move(all[i]));
    }
    children.erase(entry);  // a reused pid must not cause a loop
  }
  return found;
}

constexpr std::size_t kMostProcessesForPorts = 500;

// Adds the inode and port of each listening socket in the text of /proc/PID/net/tcp.
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

// Inodes of the sockets that a process has open; `process` is its directory in /proc.
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

std::string read_proc_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!fd) return text;
  for (;;) {
    constexpr std::size_t kStep = 4096;
    const std::size_t had = text.size();
    text.resize(had + kStep);
    const ssize_t got = ::read(fd.get(), text.data() + had, kStep);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
  }
}

std::optional<ProcStat> read_proc_stat(pid_t pid) {
  return parse_stat(pid, read_proc_file(concat("/proc/", pid, "/stat")));
}

std::vector<ProcStat> read_all_processes() {
  std::vector<ProcStat> all;
  for (const pid_t pid : numbers_in("/proc"))
    if (auto stat = read_proc_stat(pid)) all.push_back(std::move(*stat));
  return all;
}

std::vector<ProcStat> find_descendants(pid_t ancestor, Search search) {
  if (search == Search::kThorough) return thorough_descendants(ancestor);
  std::vector<ProcStat> found;
  if (!add_children(ancestor, found)) return thorough_descendants(ancestor);
  for (std::size_t next = 0; next < found.size() && found.size() < kMostDescendants; ++next)
    static_cast<void>(add_children(found[next].pid, found));
  return found;
}

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
    // The kernel takes milliseconds to list a network's sockets, so skip processes without sockets.
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
