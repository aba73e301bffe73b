// The last step before a command starts: it gives up everything it does not need.
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/capabilities.h"
#include "sandbox/landlock.h"
#include "sandbox/parts.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp_filter.h"

namespace helve::sandbox {
namespace {

// Never raises a limit above the current hard limit.
int lower(decltype(RLIMIT_CORE) kind, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  if (::getrlimit(kind, &limit) != 0) return errno;
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  return ::setrlimit(kind, &limit) == 0 ? 0 : errno;
}

struct ProcessLimit {
  decltype(RLIMIT_CORE) kind;
  std::uint64_t amount;
  std::string_view what;
};

// For this process and its children. Memory is limited here only without a Cgroup, as RLIMIT_DATA: node, go
// and sanitizers reserve terabytes of address space, which RLIMIT_AS would count. RLIMIT_NPROC counts the
// user's processes in the user namespace (Linux 5.14) and does not apply to the machine's root: only a Cgroup
// does.
Expected<void> set_resource_limits(const Limits& limits) {
  static_cast<void>(lower(RLIMIT_CORE, 0, 0));  // a core file could contain secrets
  for (const ProcessLimit& limit :
       {ProcessLimit{RLIMIT_NPROC, limits.processes, "the number of processes"},
        ProcessLimit{RLIMIT_DATA, limits.in_cgroup ? 0 : limits.memory_bytes, "memory"},
        ProcessLimit{RLIMIT_NOFILE, limits.open_files, "the number of open files"},
        ProcessLimit{RLIMIT_FSIZE, limits.file_bytes, "the size of files"},
        ProcessLimit{RLIMIT_CPU, limits.cpu_seconds, "CPU time"}}) {
    if (limit.amount == 0) continue;
    // The soft limit of CPU time sends a signal that can be handled; the hard limit kills.
    const rlim_t hard = limit.kind == RLIMIT_CPU ? limit.amount + 2 : limit.amount;
    if (const int error = lower(limit.kind, limit.amount, hard); error != 0)
      return fail(system_error(concat("Cannot limit ", limit.what), error));
  }
  return {};
}

// Only a cgroup counts memory over all processes, and only a cgroup counts the processes of root.
Expected<void> check_cgroup(const Plan& plan, Missing& missing) {
  const Limits& limits = plan.limits;
  if (limits.in_cgroup || (limits.memory_bytes == 0 && (limits.processes == 0 || ::geteuid() != 0)))
    return {};
  return record_missing(
      plan, missing, Part::kCgroup,
      part_error(Part::kCgroup, "limit processes and memory as a whole", ENOENT,
                 "Give Helve a delegated cgroup (systemd-run --user --scope -p Delegate=yes)."));
}

}  // namespace

Expected<void> restrict_self(const Plan& plan, Missing& missing) {
  if (auto limited = check_cgroup(plan, missing); !limited) return limited;
  if (auto limited = set_resource_limits(plan.limits); !limited) return limited;
  if (plan.level == Level::kOff) return {};
  // A descriptor opened outside would bypass all mounts.
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return fail(system_error("Cannot close the launcher's files", errno));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return fail(system_error("Cannot set no_new_privs", errno));
  if (auto restricted = enforce_landlock(plan, missing); !restricted) {
    if (plan.no_new_names)
      return fail(ErrorCode::kUnavailable,
                  "The disk of the workspace is full, and this machine cannot keep a command from creating "
                  "protected files there.",
                  "Free space or inodes on that disk without Helve.");
    if (auto lacks = record_missing(plan, missing, Part::kLandlock, std::move(restricted.error())); !lacks)
      return lacks;
  }
  if (auto kept = keep_capabilities(::geteuid() == 0 ? kRootCapabilities : 0); !kept) return kept;
  const bool isolated = plan.network || !contains(missing, Part::kNetworkNamespace);
  if (auto restricted = enforce_seccomp({.internet_sockets = isolated}); !restricted)
    return record_missing(plan, missing, Part::kSeccomp, std::move(restricted.error()));
  return {};
}

void make_undumpable() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

}  // namespace helve::sandbox
