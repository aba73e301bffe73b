// The last step before a command's program starts: whatever it still could do, it gives up.
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_io.h"
#include "sandbox/capabilities.h"
#include "sandbox/landlock.h"
#include "sandbox/parts.h"
#include "sandbox/resource_limits.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp_filter.h"

namespace helve::sandbox {
namespace {

// Only a cgroup counts memory over all processes, and only a cgroup counts the processes of root.
Expected<void> check_cgroup(const Plan& plan, Missing& missing) {
  const Limits& limits = plan.limits;
  if (limits.in_cgroup || (limits.memory_bytes == 0 && (limits.processes == 0 || ::geteuid() != 0)))
    return {};
  return do_without(
      plan, missing, Part::kCgroup,
      part_error(Part::kCgroup, "limit processes and memory as a whole", ENOENT,
                 "Give Helve a delegated cgroup (systemd-run --user --scope -p Delegate=yes)."));
}

}  // namespace

Expected<void> restrict_self(const Plan& plan, Missing& missing) {
  if (auto limited = check_cgroup(plan, missing); !limited) return limited;
  if (auto limited = set_resource_limits(plan.limits); !limited) return limited;
  if (plan.level == Level::kOff) return {};
  // A handle opened outside leads around all mounts.
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return fail(system_error("Cannot close the launcher's files", errno));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return fail(system_error("Cannot give up new privileges", errno));
  if (auto walled = enforce_landlock(plan, missing); !walled)
    if (auto lacks = do_without(plan, missing, Part::kLandlock, std::move(walled.error())); !lacks)
      return lacks;
  if (auto kept = keep_capabilities(::geteuid() == 0 ? kRootCapabilities : 0); !kept) return kept;
  const bool isolated = plan.network || !contains(missing, Part::kNetworkNamespace);
  if (auto walled = enforce_seccomp({.internet_sockets = isolated}); !walled)
    return do_without(plan, missing, Part::kSeccomp, std::move(walled.error()));
  return {};
}

}  // namespace helve::sandbox
