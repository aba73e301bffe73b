#include "workspace/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/strings.h"
#include "workspace/file_write.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kPrefix = ".helve-tmp_";

std::string descriptor_path(int fd) { return concat("/proc/self/fd/", fd); }

}  // namespace

Expected<TemporaryFile> TemporaryFile::create(int directory, std::string_view for_path, mode_t mode,
                                              std::string_view future_name) {
  UniqueFd fd(::openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  // On older kernels, an ordinary user can only name the file later through /proc.
  if (fd && ::access(descriptor_path(fd.get()).c_str(), F_OK) != 0) fd.reset();
  std::string name;
  if (!fd) {
    name = future_name.empty() ? random_temporary_name() : std::string(future_name);
    fd.reset(::openat(directory, name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode));
    if (!fd) return fail(write_error("write", for_path, errno));
  }
  // Tells remove_abandoned_temporaries that the file is in use. A failure is not fatal.
  static_cast<void>(try_exclusive_lock(fd.get()));
  return TemporaryFile(directory, std::move(fd), std::move(name), future_name);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : directory_(other.directory_),
      fd_(std::move(other.fd_)),
      name_(std::exchange(other.name_, {})),
      future_name_(std::move(other.future_name_)) {}

TemporaryFile::~TemporaryFile() { remove_name(); }

int TemporaryFile::link_as(const std::string& name) const {
  if (::linkat(fd_.get(), "", directory_, name.c_str(), AT_EMPTY_PATH) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  // Before Linux 6.10 only root may link by handle alone.
  const std::string path = descriptor_path(fd_.get());
  return ::linkat(AT_FDCWD, path.c_str(), directory_, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

int TemporaryFile::give_random_name() {
  if (!name_.empty()) return 0;
  std::string name = future_name_.empty() ? random_temporary_name() : future_name_;
  if (const int error = link_as(name); error != 0) return error;
  name_ = std::move(name);
  return 0;
}

int TemporaryFile::give_name(const std::string& name) {
  if (name_.empty()) return link_as(name);
  if (::renameat2(directory_, name_.c_str(), directory_, name.c_str(), RENAME_NOREPLACE) == 0) {
    name_.clear();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Without RENAME_NOREPLACE: creating a hard link also fails if the name is taken.
  if (::linkat(directory_, name_.c_str(), directory_, name.c_str(), 0) != 0) return errno;
  remove_name();
  return 0;
}

int TemporaryFile::remove_name() {
  if (name_.empty()) return 0;
  const int error = ::unlinkat(directory_, name_.c_str(), 0) == 0 ? 0 : errno;
  name_.clear();
  return error;
}

std::string random_temporary_name() { return concat(".helve-", random_id("tmp")); }

bool is_temporary_name(std::string_view name) { return name.starts_with(kPrefix); }

std::size_t remove_abandoned_temporaries(int directory) {
  const int listing = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return 0;
  const DirectoryStream stream(::fdopendir(listing));
  std::vector<std::string> names;
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr)
    if (is_temporary_name(entry->d_name)) names.emplace_back(entry->d_name);
  std::size_t removed = 0;
  for (const std::string& name : names) {
    const UniqueFd fd(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status;
    if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (try_exclusive_lock(fd.get()) && ::unlinkat(directory, name.c_str(), 0) == 0) ++removed;
  }
  return removed;
}

}  // namespace helve::workspace
