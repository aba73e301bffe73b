#include "sandbox/watch_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "sandbox/bpf.h"

// Newer than the headers of some systems.
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace helve::sandbox {
namespace {

// Numbers from 424 on are the same on all architectures.
constexpr std::uint32_t kOpenat2 = 437;
constexpr std::uint32_t kFchmodat2 = 452;

// The calls whose arguments name what changes.
constexpr std::uint32_t kAlways[] = {
#ifdef SYS_rename
    SYS_creat,     SYS_rename,   SYS_unlink,   SYS_rmdir,     SYS_link,     SYS_symlink,
    SYS_mkdir,     SYS_mknod,    SYS_chmod,    SYS_chown,     SYS_lchown,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_renameat2, SYS_unlinkat, SYS_linkat,   SYS_symlinkat, SYS_mkdirat,  SYS_mknodat,
    SYS_truncate,  SYS_fchmod,   SYS_fchmodat, SYS_fchown,    SYS_fchownat, SYS_bind,
};

constexpr std::uint32_t kOpensForWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

void notify_if_writing(BpfProgram& program, std::uint32_t call, std::size_t flags_argument,
                       BpfProgram::Label notify, BpfProgram::Label allow) {
  const auto found = program.new_label();
  const auto next = program.new_label();
  program.jump_if_equal(call, found);
  program.jump(next);
  program.place(found);
  program.load(offsetof(seccomp_data, args) + 8 * flags_argument);
  program.jump_if_any_bit(kOpensForWriting, notify);
  program.jump(allow);
  program.place(next);
}

}  // namespace

std::vector<sock_filter> watch_filter() {
  BpfProgram program;
  const auto notify = program.new_label();
  const auto allow = program.new_label();
  const auto unknown = program.new_label();
  program.load(offsetof(seccomp_data, nr));
  notify_if_writing(program, SYS_openat, 2, notify, allow);
#ifdef SYS_open
  notify_if_writing(program, SYS_open, 1, notify, allow);
#endif
  for (const std::uint32_t call : kAlways) program.jump_if_equal(call, notify);
  // Programs fall back to the older calls, whose flags a filter can read.
  for (const std::uint32_t call : {kOpenat2, kFchmodat2}) program.jump_if_equal(call, unknown);
  program.place(allow);
  program.give(SECCOMP_RET_ALLOW);
  program.place(notify);
  program.give(SECCOMP_RET_USER_NOTIF);
  program.place(unknown);
  program.give(SECCOMP_RET_ERRNO | ENOSYS);
  return program.finish();
}

UniqueFd watch_changes() {
  std::vector<sock_filter> filter = watch_filter();
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  // A signal must not interrupt a call that is being recorded: programs do not expect EINTR from unlink().
  for (const unsigned long flags : {SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER}) {
    UniqueFd listener(static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)));
    if (listener || errno != EINVAL) return listener;
  }
  return {};
}

}  // namespace helve::sandbox
