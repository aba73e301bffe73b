#include "sandbox/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file_io.h"

namespace helve::sandbox {
namespace {

using Sets = std::array<__user_cap_data_struct, 2>;

int get_capabilities(Sets& sets) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  return static_cast<int>(::syscall(SYS_capget, &header, sets.data()));
}

}  // namespace

static_assert(kRootCapabilities == (1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE | 1U << CAP_FOWNER |
                                    1U << CAP_FSETID | 1U << CAP_KILL | 1U << CAP_SETGID | 1U << CAP_SETUID));

Expected<void> keep_capabilities(std::uint64_t kept) {
  // Shrinking the bounding set needs CAP_SETPCAP. A process without it (no user namespace, not root) cannot
  // gain capabilities anyway, because no_new_privs is set.
  for (int capability = 0; capability < 64; ++capability) {
    if ((kept >> capability & 1U) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  Sets sets{};
  if (get_capabilities(sets) != 0) return fail(system_error("Cannot read capabilities", errno));
  for (std::size_t half = 0; half < sets.size(); ++half) {
    const auto mask = static_cast<std::uint32_t>(half == 0 ? kept : kept >> 32);
    sets[half].permitted &= mask;
    sets[half].effective = sets[half].permitted;
    sets[half].inheritable = 0;
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  if (::syscall(SYS_capset, &header, sets.data()) != 0)
    return fail(system_error("Cannot drop capabilities", errno));
  return {};
}

bool may_map_all_users() {
  Sets sets{};
  constexpr std::uint32_t kNeeded = 1U << CAP_SETUID | 1U << CAP_SETGID;
  return get_capabilities(sets) == 0 && (sets[0].effective & kNeeded) == kNeeded;
}

}  // namespace helve::sandbox
