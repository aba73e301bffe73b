#include "sandbox/system_mounts.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom", "tty"};
constexpr std::pair<const char*, const char*> kLinks[] = {
    {"/proc/self/fd", "fd"},       {"/proc/self/fd/0", "stdin"},
    {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
    {"pts/ptmx", "ptmx"},          {"/nonexistent/protected-by-helve", ".missing"},
};

// The terminal that the command inherits, from the old /dev: ttyname() searches /dev for a device with its
// number.
UniqueFd find_terminal() {
  for (int fd = 0; fd <= 2; ++fd) {
    struct stat mine;
    if (::isatty(fd) == 0 || ::fstat(fd, &mine) != 0) continue;
    char path[PATH_MAX];
    const ssize_t length = ::readlink(concat("/proc/self/fd/", fd).c_str(), path, sizeof path);
    if (length <= 0) continue;
    const UniqueFd place = open_real(std::string(path, static_cast<std::size_t>(length)));
    struct stat found;
    if (place && ::fstat(place.get(), &found) == 0 && found.st_rdev == mine.st_rdev &&
        found.st_ino == mine.st_ino)
      return clone_tree(place.get());
  }
  return {};
}

Error dev_error(std::string_view what, int error_number) {
  return part_error(Part::kMinimalDev, what, error_number);
}

bool make_mount_point(int directory, const char* name) {
  return static_cast<bool>(
      UniqueFd(::openat(directory, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)));
}

// Root may access these files even without capabilities.
constexpr const char* kReadOnly[] = {"sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr"};
constexpr const char* kMasked[] = {"kcore",       "keys", "key-users",  "timer_list", "latency_stats",
                                   "sched_debug", "kmsg", "kpagecount", "kpageflags", "kpagecgroup"};
constexpr const char* kMaskedDirectories[] = {"acpi", "asound", "scsi"};

UniqueFd open_below(int directory, const char* name) {
  return UniqueFd(::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

Expected<void> restrict_proc(int proc) {
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

// Hides the command's init with hidepid. Members of group `gid` still see everything, and the default is
// root's group. If no other group is mapped, root sees the name of its init.
UniqueFd make_proc() {
  constexpr std::uint64_t kAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  const Option invisible[] = {{"hidepid", "invisible"}, {"gid", "4294967294"}};
  if (::geteuid() == 0)
    if (UniqueFd tree = make_file_system("proc", invisible, kAttributes)) return tree;
  return make_file_system("proc", std::span(invisible).first(1), kAttributes);
}

}  // namespace

MinimalDev MinimalDev::collect() {
  MinimalDev dev;
  for (const char* name : kDevices)
    if (const UniqueFd place = open_real(concat("/dev/", name)))
      if (UniqueFd tree = clone_tree(place.get())) dev.devices_.push_back({name, std::move(tree)});
  if (UniqueFd terminal = find_terminal()) dev.devices_.push_back({"console", std::move(terminal)});
  return dev;
}

Expected<void> MinimalDev::mount() const {
  constexpr std::uint64_t kNoSuidNoExec = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
  const Option small[] = {{"mode", "755"}, {"size", "64k"}, {"nr_inodes", "64"}};
  const UniqueFd tree = make_file_system("tmpfs", small, kNoSuidNoExec | MOUNT_ATTR_NODEV);
  const UniqueFd old_dev = open_real("/dev");
  if (!tree || !old_dev || attach(tree.get(), old_dev.get()) != 0) return fail(dev_error("mount it", errno));
  const int dev = tree.get();
  const mode_t old_mask = ::umask(0);
  for (const Device& device : devices_)
    if (!make_mount_point(dev, device.name.c_str()) ||
        add_attributes(device.tree.get(), kNoSuidNoExec) != 0 ||
        attach_at(device.tree.get(), dev, device.name.c_str()) != 0)
      return fail(dev_error(concat("add /dev/", device.name), errno));
  for (const auto& [target, name] : kLinks)
    if (::symlinkat(target, dev, name) != 0) return fail(dev_error(concat("create the link ", name), errno));
  const UniqueFd hidden(::openat(dev, ".hidden", O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0));
  if (!hidden || ::mkdirat(dev, "pts", 0755) != 0 || ::mkdirat(dev, "shm", 0755) != 0)
    return fail(dev_error("fill it", errno));
  ::umask(old_mask);
  const Option terminals[] = {{"ptmxmode", "0666"}, {"mode", "0620"}};
  const UniqueFd pts = make_file_system("devpts", terminals, kNoSuidNoExec);
  if (!pts || attach_at(pts.get(), dev, "pts") != 0) return fail(dev_error("mount /dev/pts", errno));
  const Option shared[] = {{"mode", "1777"}};
  const UniqueFd shm = make_file_system("tmpfs", shared, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (!shm || attach_at(shm.get(), dev, "shm") != 0) return fail(dev_error("mount /dev/shm", errno));
  if (make_read_only(dev) != 0) return fail(dev_error("make it read-only", errno));
  return {};
}

Expected<void> mount_proc(const Plan& plan, Missing& missing) {
  // Without a PID namespace it would show the machine's processes, writable.
  if (contains(missing, Part::kPidNamespace))
    return record_missing(plan, missing, Part::kPrivateProc,
                          part_error(Part::kPrivateProc, "mount it", ESRCH));
  const UniqueFd tree = make_proc();
  const UniqueFd place = open_real("/proc");
  if (!tree || !place || attach(tree.get(), place.get()) != 0)
    // The old /proc stays: read-only, and its processes belong to another user namespace.
    return record_missing(plan, missing, Part::kPrivateProc,
                          part_error(Part::kPrivateProc, "mount it", errno,
                                     "Containers that mask parts of /proc forbid mounting a new one (Docker: "
                                     "--security-opt systempaths=unconfined)."));
  return restrict_proc(tree.get());
}

}  // namespace helve::sandbox
