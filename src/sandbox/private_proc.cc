#include "sandbox/private_proc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"
#include "sandbox/minimal_dev.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

// A command of root is root to these files, whatever capabilities it lacks.
constexpr const char* kReadOnly[] = {"sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr"};
constexpr const char* kMasked[] = {"kcore",       "keys", "key-users",  "timer_list", "latency_stats",
                                   "sched_debug", "kmsg", "kpagecount", "kpageflags", "kpagecgroup"};
constexpr const char* kMaskedDirectories[] = {"acpi", "asound", "scsi"};

UniqueFd open_below(int directory, const char* name) {
  return UniqueFd(::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

Expected<void> disarm(int proc) {
  for (const char* name : kReadOnly)
    if (const UniqueFd place = open_below(proc, name))
      if (bind_on_itself(place.get(), true) != 0)
        return fail(part_error(Part::kPrivateProc, concat("make /proc/", name, " read-only"), errno));
  UniqueFd empty = open_real(kHiddenFile);
  if (!empty) empty = open_real("/dev/null");
  for (const char* name : kMasked) {
    const UniqueFd place = open_below(proc, name);
    if (!place) continue;
    const UniqueFd tree = clone_tree(empty.get());
    if (!tree || attach(tree.get(), place.get()) != 0)
      return fail(part_error(Part::kPrivateProc, concat("cover /proc/", name), errno));
  }
  for (const char* name : kMaskedDirectories) {
    const UniqueFd place = open_below(proc, name);
    if (!place) continue;
    const Option options[] = {{"mode", "555"}, {"size", "4k"}};
    const UniqueFd tree = make_file_system(
        "tmpfs", options, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (!tree || attach(tree.get(), place.get()) != 0)
      return fail(part_error(Part::kPrivateProc, concat("cover /proc/", name), errno));
  }
  return {};
}

// The command's init is not to be seen. Members of the group given here see all the same, and by default it
// is root's; where the map has no other group, root gets to see its init's name.
UniqueFd make_proc() {
  constexpr std::uint64_t kAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  const Option invisible[] = {{"hidepid", "invisible"}, {"gid", "4294967294"}};
  if (::geteuid() == 0)
    if (UniqueFd tree = make_file_system("proc", invisible, kAttributes)) return tree;
  return make_file_system("proc", std::span(invisible).first(1), kAttributes);
}

}  // namespace

Expected<void> lay_proc(const Plan& plan, Missing& missing) {
  // Without a PID namespace of its own it would show the machine's processes, writable.
  if (contains(missing, Part::kPidNamespace))
    return do_without(plan, missing, Part::kPrivateProc, part_error(Part::kPrivateProc, "mount it", ESRCH));
  const UniqueFd tree = make_proc();
  const UniqueFd place = open_real("/proc");
  if (!tree || !place || attach(tree.get(), place.get()) != 0)
    // The old one stays: read-only like everything, and its processes belong to another user namespace.
    return do_without(plan, missing, Part::kPrivateProc,
                      part_error(Part::kPrivateProc, "mount it", errno,
                                 "Containers that cover parts of /proc forbid a new one inside (Docker: "
                                 "--security-opt systempaths=unconfined)."));
  return disarm(tree.get());
}

}  // namespace helve::sandbox
