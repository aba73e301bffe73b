#include "sandbox/minimal_dev.h"

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

// The terminal that the command gets from outside, under its old name in the old /dev: ttyname() and whatever
// asks it look for a device of that number in /dev.
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

}  // namespace

MinimalDev MinimalDev::collect() {
  MinimalDev dev;
  for (const char* name : kDevices)
    if (const UniqueFd place = open_real(concat("/dev/", name)))
      if (UniqueFd tree = clone_tree(place.get())) dev.devices_.push_back({name, std::move(tree)});
  if (UniqueFd terminal = find_terminal()) dev.devices_.push_back({"console", std::move(terminal)});
  return dev;
}

Expected<void> MinimalDev::lay() const {
  constexpr std::uint64_t kNever = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
  const Option small[] = {{"mode", "755"}, {"size", "64k"}, {"nr_inodes", "64"}};
  const UniqueFd tree = make_file_system("tmpfs", small, kNever | MOUNT_ATTR_NODEV);
  const UniqueFd old_dev = open_real("/dev");
  if (!tree || !old_dev || attach(tree.get(), old_dev.get()) != 0) return fail(dev_error("mount it", errno));
  const int dev = tree.get();
  const mode_t old_mask = ::umask(0);
  for (const Device& device : devices_)
    if (!make_mount_point(dev, device.name.c_str()) || add_attributes(device.tree.get(), kNever) != 0 ||
        attach_at(device.tree.get(), dev, device.name.c_str()) != 0)
      return fail(dev_error(concat("put /dev/", device.name, " into it"), errno));
  for (const auto& [target, name] : kLinks)
    if (::symlinkat(target, dev, name) != 0) return fail(dev_error(concat("link ", name, " in it"), errno));
  const UniqueFd hidden(::openat(dev, ".hidden", O_CREAT | O_EXCL | O_RDONLY | O_CLOEXEC, 0));
  if (!hidden || ::mkdirat(dev, "pts", 0755) != 0 || ::mkdirat(dev, "shm", 0755) != 0)
    return fail(dev_error("fill it", errno));
  ::umask(old_mask);
  const Option terminals[] = {{"ptmxmode", "0666"}, {"mode", "0620"}};
  const UniqueFd pts = make_file_system("devpts", terminals, kNever);
  if (!pts || attach_at(pts.get(), dev, "pts") != 0) return fail(dev_error("mount /dev/pts", errno));
  const Option shared[] = {{"mode", "1777"}};
  const UniqueFd shm = make_file_system("tmpfs", shared, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (!shm || attach_at(shm.get(), dev, "shm") != 0) return fail(dev_error("mount /dev/shm", errno));
  if (close_for_writing(dev) != 0) return fail(dev_error("make it read-only", errno));
  return {};
}

}  // namespace helve::sandbox
