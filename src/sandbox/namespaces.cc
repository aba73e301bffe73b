// Enters the command's namespaces, except the mount namespace, which build_view() creates.
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/parts.h"
#include "sandbox/sandbox.h"
#include "sandbox/user_map.h"

namespace helve::sandbox {
namespace {

struct Namespace {
  int flag;
  Part part;
};
constexpr Namespace kNamespaces[] = {
    {CLONE_NEWPID, Part::kPidNamespace},
    {CLONE_NEWIPC, Part::kIpcNamespace},
    {CLONE_NEWNET, Part::kNetworkNamespace},
};
// Not required: without them a command only sees the host's name and its own cgroup path.
constexpr int kOptionalNamespaces = CLONE_NEWUTS | CLONE_NEWCGROUP;

int wanted_flags(const Plan& plan) {
  int flags = kOptionalNamespaces;
  for (const Namespace& choice : kNamespaces)
    if (choice.flag != CLONE_NEWNET || !plan.network) flags |= choice.flag;
  return flags;
}

std::string hint_for(Part part, int error) {
  if (error == ENOSPC)
    return "The machine's limit of namespaces is reached: raise the sysctls user.max_*_namespaces, or end "
           "other sandboxes.";
  if (part == Part::kUserNamespace) return user_namespace_hint();
  if (error == EINVAL) return "The kernel was built without it.";
  return user_namespace_hint();
}

// Unshares one by one to find out which one the machine refuses.
Expected<int> unshare_each(const Plan& plan, Missing& missing) {
  int entered = 0;
  if (::unshare(CLONE_NEWUSER) == 0) {
    entered |= CLONE_NEWUSER;
  } else {
    const int error = errno;
    if (auto lacks = record_missing(
            plan, missing, Part::kUserNamespace,
            part_error(Part::kUserNamespace, "create it", error, hint_for(Part::kUserNamespace, error)));
        !lacks)
      return fail(std::move(lacks.error()));
  }
  for (const Namespace& choice : kNamespaces) {
    if ((wanted_flags(plan) & choice.flag) == 0) continue;
    if (::unshare(choice.flag) == 0) {
      entered |= choice.flag;
      continue;
    }
    const int error = errno;
    if (auto lacks =
            record_missing(plan, missing, choice.part,
                           part_error(choice.part, "create it", error, hint_for(choice.part, error)));
        !lacks)
      return fail(std::move(lacks.error()));
  }
  for (const int flag : {CLONE_NEWUTS, CLONE_NEWCGROUP})
    if (::unshare(flag) == 0) entered |= flag;
  return entered;
}

// Lets programs use 127.0.0.1 without a network.
Expected<void> bring_up_loopback() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return fail(
        part_error(Part::kNetworkNamespace, "bring up its loopback device", errno, user_namespace_hint()));
  return {};
}

// False, with nothing changed, when there is no holder to join.
bool join_holder(const Plan& plan) {
  if (plan.network || plan.network_holder == 0) return false;
  const std::string directory = concat("/proc/", plan.network_holder, "/ns/");
  const UniqueFd users(::open((directory + "user").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd network(::open((directory + "net").c_str(), O_RDONLY | O_CLOEXEC));
  return users && network && ::setns(users.get(), CLONE_NEWUSER) == 0 &&
         ::setns(network.get(), CLONE_NEWNET) == 0;
}

}  // namespace

Expected<void> hold_network() {
  Expected<UserMap> users = UserMap::prepare();
  if (!users) return fail(std::move(users.error()));
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
    return fail(part_error(Part::kNetworkNamespace, "create it", errno, user_namespace_hint()));
  if (auto mapped = users->apply(); !mapped) return mapped;
  // Entering a user namespace makes a process undumpable, and then no other process could join it.
  ::prctl(PR_SET_DUMPABLE, 1);
  return bring_up_loopback();
}

Expected<void> enter_namespaces(const Plan& plan, Missing& missing) {
  if (plan.level == Level::kOff) return {};
  if (join_holder(plan)) {
    constexpr int kOwn = CLONE_NEWPID | CLONE_NEWIPC | kOptionalNamespaces;
    if (::unshare(kOwn) == 0) return {};
    return fail(part_error(Part::kPidNamespace, "create it", errno, hint_for(Part::kPidNamespace, errno)));
  }
  Expected<UserMap> users = UserMap::prepare();
  if (!users) return fail(std::move(users.error()));
  int entered = CLONE_NEWUSER | wanted_flags(plan);
  if (::unshare(entered) != 0) {
    Expected<int> some = unshare_each(plan, missing);
    if (!some) return fail(std::move(some.error()));
    entered = *some;
  }
  if ((entered & CLONE_NEWUSER) != 0)
    if (auto mapped = users->apply(); !mapped) return mapped;
  if ((entered & CLONE_NEWNET) != 0) return bring_up_loopback();
  return {};
}

}  // namespace helve::sandbox
