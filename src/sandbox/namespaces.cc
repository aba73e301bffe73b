// The namespaces that a command gets for itself, but for that of mounts, which comes with the view.
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

struct Choice {
  int flag;
  Part part;
};
constexpr Choice kChoices[] = {
    {CLONE_NEWPID, Part::kPidNamespace},
    {CLONE_NEWIPC, Part::kIpcNamespace},
    {CLONE_NEWNET, Part::kNetworkNamespace},
};
// Without these two a command sees the host's name and its own place in the cgroup tree, nothing more.
constexpr int kNicety = CLONE_NEWUTS | CLONE_NEWCGROUP;

int wanted_flags(const Plan& plan) {
  int flags = kNicety;
  for (const Choice& choice : kChoices)
    if (choice.flag != CLONE_NEWNET || !plan.network) flags |= choice.flag;
  return flags;
}

std::string hint_for(Part part, int error) {
  if (error == ENOSPC)
    return "The machine's limit on namespaces is reached: raise the sysctls user.max_*_namespaces, or end "
           "other "
           "sandboxes.";
  if (part == Part::kUserNamespace) return user_namespace_hint();
  if (error == EINVAL) return "The kernel was built without it.";
  return user_namespace_hint();
}

// One after the other, to find out which one the machine refuses.
Expected<int> unshare_each(const Plan& plan, Missing& missing) {
  int entered = 0;
  if (::unshare(CLONE_NEWUSER) == 0) {
    entered |= CLONE_NEWUSER;
  } else {
    const int error = errno;
    if (auto lacks = do_without(
            plan, missing, Part::kUserNamespace,
            part_error(Part::kUserNamespace, "make it", error, hint_for(Part::kUserNamespace, error)));
        !lacks)
      return fail(std::move(lacks.error()));
  }
  for (const Choice& choice : kChoices) {
    if ((wanted_flags(plan) & choice.flag) == 0) continue;
    if (::unshare(choice.flag) == 0) {
      entered |= choice.flag;
      continue;
    }
    const int error = errno;
    if (auto lacks = do_without(plan, missing, choice.part,
                                part_error(choice.part, "make it", error, hint_for(choice.part, error)));
        !lacks)
      return fail(std::move(lacks.error()));
  }
  for (const int flag : {CLONE_NEWUTS, CLONE_NEWCGROUP})
    if (::unshare(flag) == 0) entered |= flag;
  return entered;
}

// Programs that talk to themselves over 127.0.0.1 work without a network, too.
Expected<void> raise_loopback() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return fail(
        part_error(Part::kNetworkNamespace, "raise its loopback device", errno, user_namespace_hint()));
  return {};
}

// False when there is nothing to join; then nothing has changed.
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
    return fail(part_error(Part::kNetworkNamespace, "make it", errno, user_namespace_hint()));
  if (auto mapped = users->apply(); !mapped) return mapped;
  // Entering a user namespace hides a process from its own user, and then nobody could join.
  ::prctl(PR_SET_DUMPABLE, 1);
  return raise_loopback();
}

Expected<void> enter_namespaces(const Plan& plan, Missing& missing) {
  if (plan.level == Level::kOff) return {};
  if (join_holder(plan)) {
    constexpr int kOwn = CLONE_NEWPID | CLONE_NEWIPC | kNicety;
    if (::unshare(kOwn) == 0) return {};
    return fail(part_error(Part::kPidNamespace, "make it", errno, hint_for(Part::kPidNamespace, errno)));
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
  if ((entered & CLONE_NEWNET) != 0) return raise_loopback();
  return {};
}

}  // namespace helve::sandbox
