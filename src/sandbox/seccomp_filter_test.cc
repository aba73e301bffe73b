#include "sandbox/seccomp_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "sandbox/seccomp_table.h"
#include "sandbox/testing.h"

namespace helve::sandbox {
namespace {

// Interprets the filter for a call and returns its verdict.
std::uint32_t judge(const std::vector<sock_filter>& filter, const seccomp_data& call) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&call);
  std::uint32_t word = 0;
  for (std::size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& step = filter[at];
    bool holds = false;
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::copy_n(bytes + step.k, 4, reinterpret_cast<unsigned char*>(&word));
        continue;
      case BPF_ALU | BPF_AND | BPF_K: word &= step.k; continue;
      case BPF_RET | BPF_K: return step.k;
      case BPF_JMP | BPF_JA: at += step.k; continue;
      case BPF_JMP | BPF_JEQ | BPF_K: holds = word == step.k; break;
      case BPF_JMP | BPF_JGE | BPF_K: holds = word >= step.k; break;
      case BPF_JMP | BPF_JSET | BPF_K: holds = (word & step.k) != 0; break;
      default: ADD_FAILURE() << "unknown instruction " << step.code; return 0;
    }
    at += holds ? step.jt : step.jf;
  }
  ADD_FAILURE() << "the filter has no end";
  return 0;
}

#if defined(__x86_64__)
constexpr std::uint32_t kOwn = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kOwn = AUDIT_ARCH_AARCH64;
#endif

std::uint32_t judge(int number, std::initializer_list<std::uint64_t> arguments = {},
                    SeccompChoice choice = {}) {
  seccomp_data call{.nr = number, .arch = kOwn};
  std::ranges::copy(arguments, call.args);
  return judge(seccomp_filter(choice), call);
}

constexpr std::uint32_t kForbidden = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

TEST(SeccompFilter, RefusesOnlyTheCallsInTheTable) {
  for (std::uint32_t number = 0; number < 600; ++number) {
    const auto entry = std::ranges::find(seccomp_table(), number, &SeccompEntry::number);
    const std::uint32_t verdict = judge(static_cast<int>(number));
    if (entry == seccomp_table().end()) {
      EXPECT_EQ(verdict, SECCOMP_RET_ALLOW) << number;
    } else if (entry->rule == SeccompRule::kForbid) {
      EXPECT_EQ(verdict, kForbidden) << number;
    } else if (entry->rule == SeccompRule::kUnknown) {
      EXPECT_EQ(verdict, kUnknown) << number;
    }
  }
}

TEST(SeccompFilter, NoNumberIsListedTwice) {
  std::vector<std::uint32_t> numbers;
  for (const SeccompEntry& entry : seccomp_table()) numbers.push_back(entry.number);
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

TEST(SeccompFilter, OtherArchitecturesAreRefused) {
  seccomp_data call{.nr = SYS_getpid, .arch = AUDIT_ARCH_I386};
  EXPECT_EQ(judge(seccomp_filter({}), call), SECCOMP_RET_KILL_PROCESS);
#if defined(__x86_64__)
  EXPECT_EQ(judge(0x40000000 | SYS_getpid), kUnknown);
#endif
}

TEST(SeccompFilter, OnlyTheLowHalfOfAnArgumentCounts) {
  EXPECT_EQ(judge(SYS_ioctl, {0, 0x5412}), kForbidden);
  EXPECT_EQ(judge(SYS_ioctl, {0, 0xFFFFFFFF'00005412}), kForbidden);
  EXPECT_EQ(judge(SYS_ioctl, {0, 0x541C}), kForbidden);
  EXPECT_EQ(judge(SYS_ioctl, {0, 0x5413}), SECCOMP_RET_ALLOW);
}

TEST(SeccompFilter, AllowsProcessesButNotNamespaces) {
  EXPECT_EQ(judge(SYS_clone, {SIGCHLD}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge(SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD | CLONE_SIGHAND}),
            SECCOMP_RET_ALLOW);
  for (const int flag : {CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
                         CLONE_NEWCGROUP}) {
    EXPECT_EQ(judge(SYS_clone, {static_cast<std::uint64_t>(flag | SIGCHLD)}), kForbidden) << flag;
    EXPECT_EQ(judge(SYS_unshare, {static_cast<std::uint64_t>(flag)}), kForbidden) << flag;
  }
  EXPECT_EQ(judge(SYS_unshare, {0x80}), kForbidden);
  EXPECT_EQ(judge(SYS_unshare, {CLONE_FILES}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge(SYS_clone3), kUnknown);
}

TEST(SeccompFilter, ChecksSocketFamilies) {
  for (const std::uint64_t family : {AF_UNIX, AF_INET, AF_INET6}) {
    EXPECT_EQ(judge(SYS_socket, {family, SOCK_STREAM, 6}), SECCOMP_RET_ALLOW) << family;
    EXPECT_EQ(judge(SYS_socket, {family, SOCK_STREAM, 6}, {.internet_sockets = false}),
              family == AF_UNIX ? SECCOMP_RET_ALLOW : kForbidden);
  }
  EXPECT_EQ(judge(SYS_socket, {AF_NETLINK, SOCK_RAW, 0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(judge(SYS_socket, {AF_NETLINK, SOCK_RAW, 9}), kForbidden);
  for (std::uint64_t family = 0; family < 64; ++family) {
    if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK) continue;
    EXPECT_EQ(judge(SYS_socket, {family, SOCK_STREAM, 0}), kForbidden) << family;
  }
}

TEST(SeccompFilter, RefusesDeviceNodes) {
  for (const std::uint64_t type : {S_IFCHR, S_IFBLK})
    EXPECT_EQ(judge(SYS_mknodat, {0, 0, type | 0666}), kForbidden);
  for (const std::uint64_t type : {S_IFIFO, S_IFSOCK, S_IFREG, 0})
    EXPECT_EQ(judge(SYS_mknodat, {0, 0, type | 0666}), SECCOMP_RET_ALLOW) << type;
#ifdef SYS_mknod
  EXPECT_EQ(judge(SYS_mknod, {0, S_IFBLK}), kForbidden);
  EXPECT_EQ(judge(SYS_mknod, {0, S_IFIFO}), SECCOMP_RET_ALLOW);
#endif
}

TEST(SeccompFilter, AllowsOnlyHarmlessPersonalities) {
  for (const std::uint64_t kind : {0x0UL, 0x8UL, 0x40000UL, 0xFFFFFFFFUL})
    EXPECT_EQ(judge(SYS_personality, {kind}), SECCOMP_RET_ALLOW) << kind;
  EXPECT_EQ(judge(SYS_personality, {READ_IMPLIES_EXEC}), kForbidden);
}

// Makes real calls. Returns the number of the first call with an unexpected result.
int make_real_calls() {
  int count = 0;
  const auto fails_with = [&](long result, int error) {
    ++count;
    return result == -1 && errno == error;
  };
  const auto refused = [&](long result) { return fails_with(result, EPERM); };
  if (!refused(::mount("x", "/", "tmpfs", 0, nullptr))) return count;
  if (!refused(::umount2("/", MNT_DETACH))) return count;
  if (!refused(::syscall(SYS_pivot_root, "/", "/"))) return count;
  if (!refused(::chroot("/"))) return count;
  if (!refused(::syscall(SYS_open_tree, AT_FDCWD, "/", 1))) return count;
  if (!refused(::syscall(SYS_fsopen, "tmpfs", 0))) return count;
  if (!refused(::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, nullptr, 0))) return count;
  if (!refused(::unshare(CLONE_NEWUSER))) return count;
  if (!refused(::unshare(CLONE_NEWNS))) return count;
  if (!refused(::setns(0, 0))) return count;
  if (!refused(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0))) return count;
  if (!fails_with(::syscall(SYS_clone3, nullptr, 0), ENOSYS)) return count;
  if (!fails_with(::syscall(SYS_io_uring_setup, 1, nullptr), ENOSYS)) return count;
  if (!refused(::syscall(SYS_bpf, 0, nullptr, 0))) return count;
  if (!refused(::syscall(SYS_keyctl, 0, 0, 0, 0, 0))) return count;
  if (!refused(::syscall(SYS_add_key, "user", "x", "y", 1, -1))) return count;
  if (!refused(::syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0))) return count;
  if (!refused(::syscall(SYS_userfaultfd, 0))) return count;
  if (!refused(::syscall(SYS_open_by_handle_at, 0, nullptr, 0))) return count;
  if (!refused(::socket(AF_VSOCK, SOCK_STREAM, 0))) return count;
  if (!refused(::socket(AF_PACKET, SOCK_RAW, 0))) return count;
  if (!refused(::socket(AF_ALG, SOCK_SEQPACKET, 0))) return count;
  if (!refused(::mknod("/tmp/device", S_IFCHR | 0600, 259))) return count;
  if (!refused(::personality(READ_IMPLIES_EXEC))) return count;
  int pair[2];
  ++count;
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return count;
  ++count;
  if (::socket(AF_INET, SOCK_DGRAM, 0) < 0) return count;
  ++count;
  bool ran = false;
  std::thread([&] { ran = true; }).join();
  if (!ran) return count;
  ++count;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  return detail::wait_for(child) == 7 ? 0 : count;
}

TEST(SeccompFilter, TheKernelEnforcesTheFilter) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!enforce_seccomp({})) ::_exit(200);
    ::_exit(make_real_calls());
  }
  EXPECT_EQ(detail::wait_for(child), 0);
}

#if defined(__x86_64__)
TEST(SeccompFilter, A32BitCallEndsTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!enforce_seccomp({})) ::_exit(200);
    long result = 20;  // getpid in the 32-bit ABI
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    ::_exit(0);
  }
  const int exit_code = detail::wait_for(child);
  // A kernel without 32-bit support raises a fault.
  EXPECT_TRUE(exit_code == 128 + SIGSYS || exit_code == 128 + SIGSEGV) << exit_code;
}
#endif

}  // namespace
}  // namespace helve::sandbox
