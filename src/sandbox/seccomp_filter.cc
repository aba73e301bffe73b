#include "sandbox/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>

#include "sandbox/bpf.h"
#include "sandbox/parts.h"
#include "sandbox/seccomp_table.h"

namespace helve::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kX32Bit = 0x40000000;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "The seccomp filter knows x86-64 and aarch64."
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t refuse(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }
constexpr std::uint32_t kForbidden = refuse(EPERM);
constexpr std::uint32_t kUnknown = refuse(ENOSYS);

constexpr std::uint32_t kNewTime = 0x80;
constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Both architectures are little-endian. The checked arguments are 32-bit values; the kernel ignores the upper
// half.
constexpr std::size_t low_half_of_argument(std::size_t index) {
  return offsetof(seccomp_data, args) + 8 * index;
}

class FilterWriter {
 public:
  explicit FilterWriter(SeccompChoice choice) : choice_(choice) {}

  std::vector<sock_filter> write() {
    check_architecture();
    std::vector<SeccompEntry> entries(seccomp_table().begin(), seccomp_table().end());
    std::ranges::sort(entries, {}, &SeccompEntry::number);
    write_search(entries);
    write_checks();
    return program_.finish();
  }

 private:
  void check_architecture() {
    const auto right = program_.new_label();
    program_.load(offsetof(seccomp_data, arch));
    program_.jump_if_equal(kArchitecture, right);
    // 32-bit programs use other numbers for the same calls.
    program_.give(SECCOMP_RET_KILL_PROCESS);
    program_.place(right);
    program_.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    const auto native = program_.new_label();
    const auto other = program_.new_label();
    program_.jump_if_any_bit(kX32Bit, other);
    program_.jump(native);
    program_.place(other);
    program_.give(kUnknown);
    program_.place(native);
#endif
  }

  // Binary search keeps the cost of a system call at a few comparisons.
  void write_search(std::span<const SeccompEntry> entries) {
    if (entries.size() == 1) {
      const auto found = program_.new_label();
      program_.jump_if_equal(entries[0].number, found);
      program_.give(kAllow);
      program_.place(found);
      write_verdict(entries[0].rule);
      return;
    }
    const std::size_t middle = entries.size() / 2;
    const auto upper = program_.new_label();
    program_.jump_if_at_least(entries[middle].number, upper);
    write_search(entries.first(middle));
    program_.place(upper);
    write_search(entries.subspan(middle));
  }

  void write_verdict(SeccompRule rule) {
    if (rule == SeccompRule::kForbid) return program_.give(kForbidden);
    if (rule == SeccompRule::kUnknown) return program_.give(kUnknown);
    const auto check = program_.new_label();
    checks_.emplace_back(rule, check);
    program_.jump(check);
  }

  void write_checks() {
    for (const auto& [rule, label] : checks_) {
      program_.place(label);
      switch (rule) {
        case SeccompRule::kCloneFlags: forbid_bits(0, kNewNamespaces); break;
        case SeccompRule::kUnshareFlags: forbid_bits(0, kNewNamespaces | kNewTime); break;
        case SeccompRule::kNodeModeSecond: forbid_devices(1); break;
        case SeccompRule::kNodeModeThird: forbid_devices(2); break;
        case SeccompRule::kTerminalControl: forbid_terminal_tricks(); break;
        case SeccompRule::kPersonality: allow_personalities(); break;
        case SeccompRule::kSocketFamily: allow_families(); break;
        default: program_.give(kForbidden);
      }
    }
  }

  void forbid_bits(std::size_t argument, std::uint32_t bits) {
    const auto found = program_.new_label();
    program_.load(low_half_of_argument(argument));
    program_.jump_if_any_bit(bits, found);
    program_.give(kAllow);
    program_.place(found);
    program_.give(kForbidden);
  }

  void forbid_devices(std::size_t argument) {
    program_.load(low_half_of_argument(argument));
    program_.mask(S_IFMT);
    forbid_values({S_IFCHR, S_IFBLK});
  }

  // TIOCSTI types into the user's terminal; TIOCLINUX can do so on a console.
  void forbid_terminal_tricks() {
    program_.load(low_half_of_argument(1));
    forbid_values({0x5412, 0x541C});
  }

  // The defaults, 32-bit machine names, and no address randomisation, which debuggers use. Others make memory
  // executable or page zero readable.
  void allow_personalities() {
    program_.load(low_half_of_argument(0));
    allow_values({0, 0x8, 0x20000, 0x20008, 0x40000, 0xFFFFFFFF});
  }

  // Families that a network namespace confines. AF_VSOCK, for example, ignores namespaces.
  void allow_families() {
    const auto netlink = program_.new_label();
    program_.load(low_half_of_argument(0));
    program_.jump_if_equal(AF_NETLINK, netlink);
    if (choice_.internet_sockets)
      allow_values({AF_UNIX, AF_INET, AF_INET6});
    else
      allow_values({AF_UNIX});
    program_.place(netlink);
    // Ordinary programs only query routes and open sockets.
    program_.load(low_half_of_argument(2));
    allow_values({0, 4});
  }

  void allow_values(std::initializer_list<std::uint32_t> values) { give_on(values, kAllow, kForbidden); }
  void forbid_values(std::initializer_list<std::uint32_t> values) { give_on(values, kForbidden, kAllow); }
  void give_on(std::initializer_list<std::uint32_t> values, std::uint32_t found, std::uint32_t otherwise) {
    const auto match = program_.new_label();
    for (const std::uint32_t value : values) program_.jump_if_equal(value, match);
    program_.give(otherwise);
    program_.place(match);
    program_.give(found);
  }

  SeccompChoice choice_;
  BpfProgram program_;
  std::vector<std::pair<SeccompRule, BpfProgram::Label>> checks_;
};

}  // namespace

std::vector<sock_filter> seccomp_filter(SeccompChoice choice) { return FilterWriter(choice).write(); }

Expected<void> enforce_seccomp(SeccompChoice choice) {
  std::vector<sock_filter> filter = seccomp_filter(choice);
  sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    return fail(part_error(Part::kSeccomp, "load it", errno, "The kernel needs CONFIG_SECCOMP_FILTER."));
  return {};
}

}  // namespace helve::sandbox
