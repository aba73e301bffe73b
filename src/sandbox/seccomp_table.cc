#include "sandbox/seccomp_table.h"

#include <sys/syscall.h>

namespace helve::sandbox {
namespace {

// Newer than many headers. Numbers from 424 on are the same on all architectures.
constexpr std::uint32_t kOpenTreeAttr = 467;

constexpr SeccompEntry kTable[] = {
    // Mounts confine the command.
    {SYS_mount, SeccompRule::kForbid},
    {SYS_umount2, SeccompRule::kForbid},
    {SYS_pivot_root, SeccompRule::kForbid},
    {SYS_chroot, SeccompRule::kForbid},
    {SYS_open_tree, SeccompRule::kForbid},
    {kOpenTreeAttr, SeccompRule::kForbid},
    {SYS_move_mount, SeccompRule::kForbid},
    {SYS_fsopen, SeccompRule::kForbid},
    {SYS_fsconfig, SeccompRule::kForbid},
    {SYS_fsmount, SeccompRule::kForbid},
    {SYS_fspick, SeccompRule::kForbid},
    {SYS_mount_setattr, SeccompRule::kForbid},
    // In a new namespace a command would be root again, with more kernel attack surface.
    {SYS_unshare, SeccompRule::kUnshareFlags},
    {SYS_setns, SeccompRule::kForbid},
    {SYS_clone, SeccompRule::kCloneFlags},
    {SYS_clone3, SeccompRule::kUnknown},  // its flags are in memory, which filters cannot read
    // These bypass file permissions and Landlock.
    {SYS_open_by_handle_at, SeccompRule::kForbid},
    {SYS_io_uring_setup, SeccompRule::kUnknown},
    {SYS_io_uring_enter, SeccompRule::kUnknown},
    {SYS_io_uring_register, SeccompRule::kUnknown},
#ifdef SYS_mknod
    {SYS_mknod, SeccompRule::kNodeModeSecond},
#endif
    {SYS_mknodat, SeccompRule::kNodeModeThird},
    {SYS_ioctl, SeccompRule::kTerminalControl},
    {SYS_socket, SeccompRule::kSocketFamily},
    {SYS_socketpair, SeccompRule::kSocketFamily},
    // Keys are shared by all processes of a user, sandboxed or not.
    {SYS_add_key, SeccompRule::kForbid},
    {SYS_request_key, SeccompRule::kForbid},
    {SYS_keyctl, SeccompRule::kForbid},
    // Large kernel attack surface that builds and tests do not need.
    {SYS_bpf, SeccompRule::kForbid},
    {SYS_perf_event_open, SeccompRule::kForbid},
    {SYS_userfaultfd, SeccompRule::kForbid},
    {SYS_memfd_secret, SeccompRule::kForbid},
    {SYS_personality, SeccompRule::kPersonality},
    {SYS_fanotify_init, SeccompRule::kForbid},
    {SYS_lookup_dcookie, SeccompRule::kForbid},
    {SYS_vhangup, SeccompRule::kForbid},
    // These change the machine itself.
    {SYS_kexec_load, SeccompRule::kForbid},
    {SYS_kexec_file_load, SeccompRule::kForbid},
    {SYS_init_module, SeccompRule::kForbid},
    {SYS_finit_module, SeccompRule::kForbid},
    {SYS_delete_module, SeccompRule::kForbid},
    {SYS_reboot, SeccompRule::kForbid},
    {SYS_swapon, SeccompRule::kForbid},
    {SYS_swapoff, SeccompRule::kForbid},
    {SYS_acct, SeccompRule::kForbid},
    {SYS_quotactl, SeccompRule::kForbid},
    {SYS_quotactl_fd, SeccompRule::kForbid},
    {SYS_nfsservctl, SeccompRule::kForbid},
    {SYS_syslog, SeccompRule::kForbid},
    {SYS_settimeofday, SeccompRule::kForbid},
    {SYS_clock_settime, SeccompRule::kForbid},
    {SYS_adjtimex, SeccompRule::kForbid},
    {SYS_clock_adjtime, SeccompRule::kForbid},
    {SYS_sethostname, SeccompRule::kForbid},
    {SYS_setdomainname, SeccompRule::kForbid},
#ifdef SYS_iopl
    {SYS_iopl, SeccompRule::kForbid},
    {SYS_ioperm, SeccompRule::kForbid},
    {SYS_uselib, SeccompRule::kForbid},
    {SYS_create_module, SeccompRule::kForbid},
#endif
};

}  // namespace

std::span<const SeccompEntry> seccomp_table() { return kTable; }

}  // namespace helve::sandbox
