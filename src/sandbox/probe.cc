// Finds out which sandbox parts the machine supports, by trying them in a child process.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/cgroup.h"
#include "sandbox/landlock.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"
#include "sandbox/sandbox.h"
#include "sandbox/system_mounts.h"
#include "sandbox/user_map.h"

namespace helve::sandbox {
namespace {

constexpr Part kParts[] = {
    Part::kUserNamespace, Part::kMountNamespace, Part::kPidNamespace, Part::kNetworkNamespace,
    Part::kIpcNamespace,  Part::kPrivateProc,    Part::kMinimalDev,   Part::kLandlock,
    Part::kSeccomp,       Part::kCgroup};

constexpr std::string_view kNotTested = "It could not be tested.";

// One line per part: its number, 1 or 0, a text.
void report(int out, Part part, const Expected<void>& tried) {
  const std::string text =
      tried ? std::string() : replace_all(concat(tried.error().message, ". ", tried.error().hint), "\n", " ");
  static_cast<void>(write_all(out, concat(static_cast<int>(part), " ", tried ? 1 : 0, " ", text, "\n")));
}

Expected<void> try_unshare(int flag, Part part) {
  if (::unshare(flag) == 0) return {};
  return fail(part_error(part, "create it", errno, user_namespace_hint()));
}

Expected<void> try_user_namespace() {
  Expected<UserMap> users = UserMap::prepare();
  if (!users) return fail(std::move(users.error()));
  if (auto entered = try_unshare(CLONE_NEWUSER, Part::kUserNamespace); !entered) return entered;
  return users->apply();
}

// As the first process of the new PID namespace.
void try_mounts(int out) {
  Expected<void> mounts = try_unshare(CLONE_NEWNS, Part::kMountNamespace);
  const MinimalDev dev = MinimalDev::collect();
  const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (mounts && add_attributes(root.get(), MOUNT_ATTR_RDONLY, MS_PRIVATE) != 0)
    mounts = fail(mount_error("make everything read-only from", "/", errno));
  report(out, Part::kMountNamespace, mounts);
  // Without a mount namespace these would change the machine itself.
  if (!mounts) {
    report(out, Part::kMinimalDev, mounts);
    report(out, Part::kPrivateProc, mounts);
    return;
  }
  report(out, Part::kMinimalDev, dev.mount());
  Missing missing;
  report(out, Part::kPrivateProc, mount_proc(Plan{}, missing));
}

[[noreturn]] void try_all(int out) {
  ::prctl(PR_SET_DUMPABLE, 1);  // Helve is undumpable; a launcher is not
  report(out, Part::kUserNamespace, try_user_namespace());
  report(out, Part::kNetworkNamespace, try_unshare(CLONE_NEWNET, Part::kNetworkNamespace));
  report(out, Part::kIpcNamespace, try_unshare(CLONE_NEWIPC, Part::kIpcNamespace));
  const Expected<void> processes = try_unshare(CLONE_NEWPID, Part::kPidNamespace);
  report(out, Part::kPidNamespace, processes);
  const pid_t init = ::fork();
  if (init == 0) {
    try_mounts(out);
    ::_exit(0);
  }
  if (init > 0) ::waitpid(init, nullptr, 0);
  ::_exit(0);
}

PartState probe_landlock() {
  const int version = landlock_version();
  if (version > 0) return {Part::kLandlock, true, concat("ABI ", version)};
  return {Part::kLandlock, false,
          "It needs Linux 5.13 or newer; if it is disabled, add landlock to the kernel's lsm= parameter."};
}

PartState probe_seccomp() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return {Part::kSeccomp, true, {}};
  return {Part::kSeccomp, false, "The kernel needs CONFIG_SECCOMP_FILTER."};
}

PartState probe_cgroup() {
  const Expected<Cgroup> group = Cgroup::create({.processes = 1000, .memory_bytes = std::uint64_t{1} << 40});
  if (!group) return {Part::kCgroup, false, concat(group.error().message, ". ", group.error().hint)};
  return {Part::kCgroup, true, group->directories().size() == 1 ? "version 2" : "version 1"};
}

}  // namespace

std::vector<PartState> probe_machine() {
  std::vector<PartState> states;
  for (const Part part : kParts) states.emplace_back(part).detail = kNotTested;
  const auto set_state = [&](const PartState& state) {
    for (PartState& known : states)
      if (known.part == state.part) known = state;
  };
  set_state(probe_landlock());
  set_state(probe_seccomp());
  set_state(probe_cgroup());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return states;
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) try_all(writing.get());
  writing.reset();
  const std::string text = read_all(reading.get(), 1 << 16).value_or(std::string());
  if (child > 0) ::waitpid(child, nullptr, 0);
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.size() < space + 3) continue;
    int number = 0;
    const std::string_view digits = line.substr(0, space);
    std::from_chars(digits.begin(), digits.end(), number);
    set_state({static_cast<Part>(number), line[space + 1] == '1', std::string(line.substr(space + 3))});
  }
  return states;
}

}  // namespace helve::sandbox
