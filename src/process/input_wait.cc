#include "process/input_wait.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace helve::process {
namespace {

// The system call a process is in, from /proc/PID/syscall.
struct SystemCall {
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
};

std::optional<SystemCall> read_system_call(pid_t pid) {
  const std::string text = read_proc_file(concat("/proc/", pid, "/syscall"));
  const std::vector<std::string_view> words = split(trim(text), ' ');
  if (words.size() < 7) return {};  // "running", or not permitted
  SystemCall call;
  if (std::from_chars(words[0].data(), words[0].data() + words[0].size(), call.number).ec != std::errc{})
    return {};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string_view digits =
        words[i + 1].substr(std::min<std::size_t>(2, words[i + 1].size()));  // after 0x
    std::from_chars(digits.data(), digits.data() + digits.size(), call.arguments[i], 16);
  }
  return call;
}

bool is_the_input(pid_t pid, int fd, const InputIdentity& input) {
  struct stat status;
  if (fd < 0 || ::stat(concat("/proc/", pid, "/fd/", fd).c_str(), &status) != 0) return false;
  if (input.device != 0 && S_ISCHR(status.st_mode)) {
    // /dev/tty is the controlling terminal, and the process has no other.
    const bool own_terminal = major(status.st_rdev) == 5 && minor(status.st_rdev) == 0;
    return status.st_rdev == input.device || own_terminal;
  }
  return input.inode != 0 && S_ISFIFO(status.st_mode) && status.st_ino == input.inode;
}

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t size) {
  iovec local{.iov_base = to, .iov_len = size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process, never dereferenced here
  iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = size};
  return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

// The descriptors that a poll() waits for.
std::vector<int> polled(pid_t pid, const SystemCall& call) {
  constexpr std::uint64_t kMost = 16;
  std::array<pollfd, kMost> list{};
  const std::uint64_t count = call.arguments[1];
  if (count == 0 || count > kMost ||
      !read_memory(pid, call.arguments[0], list.data(), count * sizeof(pollfd)))
    return {};
  std::vector<int> fds;
  for (std::size_t i = 0; i < count; ++i)
    if (list[i].fd >= 0) fds.push_back(list[i].fd);
  return fds;
}

std::vector<int> selected(pid_t pid, const SystemCall& call) {
  const std::uint64_t count = std::min<std::uint64_t>(call.arguments[0], FD_SETSIZE);
  // The kernel reads only as many longs as `count` needs.
  std::array<std::uint64_t, FD_SETSIZE / 64> bits{};
  const std::size_t size = (count + 63) / 64 * 8;
  if (size == 0 || call.arguments[1] == 0 || !read_memory(pid, call.arguments[1], bits.data(), size))
    return {};
  std::vector<int> fds;
  for (std::size_t i = 0; i < count; ++i)
    if ((bits[i / 64] >> (i % 64) & 1U) != 0) fds.push_back(static_cast<int>(i));
  return fds;
}

// The descriptors that the call reads from. A process that waits for several descriptors at once is not
// waiting for a user, so callers treat more than one like none.
std::vector<int> descriptors_read(pid_t pid, const SystemCall& call) {
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64: return {static_cast<int>(call.arguments[0])};
    case SYS_ppoll: return polled(pid, call);
    case SYS_pselect6: return selected(pid, call);
#ifdef SYS_poll
    case SYS_poll: return polled(pid, call);
#endif
#ifdef SYS_select
    case SYS_select: return selected(pid, call);
#endif
    default: return {};
  }
}

// With echo off but line editing on, the program is asking for a password.
bool echo_is_off(int controller) {
  termios modes{};
  return ::tcgetattr(controller, &modes) == 0 && (modes.c_lflag & ECHO) == 0 && (modes.c_lflag & ICANON) != 0;
}

bool reads_input(pid_t pid, const InputIdentity& input) {
  if (const auto call = read_system_call(pid)) {
    const std::vector<int> fds = descriptors_read(pid, *call);
    return fds.size() == 1 && is_the_input(pid, fds[0], input);
  }
  // If /proc/PID/syscall is not readable, /proc/PID/wchan may be.
  const std::string wait_channel = read_proc_file(concat("/proc/", pid, "/wchan"));
  const bool reading =
      wait_channel == "n_tty_read" || wait_channel == "pipe_read" || wait_channel == "anon_pipe_read";
  return reading && is_the_input(pid, 0, input);
}

}  // namespace

InputSample sample_input(const ProcessTree& tree, const InputIdentity& input, int controller) {
  InputSample sample;
  bool any_running = false;
  for (const ProcStat& process : list_processes(tree)) {
    sample.cpu_ticks += process.cpu_ticks;
    if (process.state != 'S' && process.state != 'T' && process.state != 't') any_running = true;
    if (process.state == 'S' && !sample.reader && reads_input(process.pid, input))
      sample.reader = InputWait{process.pid, process.name, controller >= 0 && echo_is_off(controller)};
  }
  if (any_running) sample.reader.reset();
  return sample;
}

bool agree(const InputSample& before, const InputSample& now) {
  return before.reader && now.reader && before.reader->pid == now.reader->pid &&
         before.cpu_ticks == now.cpu_ticks;
}

}  // namespace helve::process
