#include "effects/traced_call.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace helve::effects {
namespace {

constexpr int kMostLinks = 40;  // as in the kernel
constexpr std::string_view kDeleted = " (deleted)";

std::optional<std::string> link_text(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length <= 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(length));
}

std::string process_path(pid_t process, std::string_view rest) {
  return concat("/proc/", process, "/", rest);
}

// Returns the number of bytes, or -1 with errno set.
ssize_t read_memory(pid_t process, std::uint64_t address, char* to, std::size_t size) {
  const iovec local{.iov_base = to, .iov_len = size};
  const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = size};
  const ssize_t got = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (got >= 0 || errno == EFAULT) return got;
  // Containers refuse that call, but not this file.
  const UniqueFd memory(::open(process_path(process, "mem").c_str(), O_RDONLY | O_CLOEXEC));
  return memory ? ::pread(memory.get(), to, size, static_cast<off_t>(address)) : -1;
}

enum class ReadResult { kRead, kBadAddress, kRefused };

ReadResult read_text(pid_t process, std::uint64_t address, std::string& text) {
  constexpr std::uint64_t kPage = 4096;
  text.clear();
  while (text.size() < PATH_MAX) {
    std::array<char, kPage> page{};
    // Not beyond the page: the next one may not exist.
    const std::size_t size = kPage - address % kPage;
    const ssize_t got = read_memory(process, address, page.data(), size);
    if (got <= 0)
      return got < 0 && (errno == EPERM || errno == EACCES) ? ReadResult::kRefused : ReadResult::kBadAddress;
    const std::size_t length = ::strnlen(page.data(), static_cast<std::size_t>(got));
    text.append(page.data(), length);
    if (length < static_cast<std::size_t>(got)) return ReadResult::kRead;
    address += static_cast<std::uint64_t>(got);
  }
  return ReadResult::kBadAddress;  // longer than any path
}

}  // namespace

std::optional<std::string> PathLocator::relative(std::string_view path) const {
  if (!is_within(path, workspace_) || path.ends_with(kDeleted)) return std::nullopt;
  path.remove_prefix(std::min(path.size(), workspace_.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(path);
}

UniqueFd PathLocator::open_directory(pid_t process, const std::string& path) {
  if (!root_) root_.reset(::open(process_path(process, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  if (root_) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root_.get(), path.c_str(), &how, sizeof how)));
    if (fd || (errno != ENOSYS && errno != EPERM)) return fd;
  }
  return UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::optional<std::string> PathLocator::locate_open(pid_t process, int descriptor) {
  const auto path = link_text(process_path(process, concat("fd/", descriptor)));
  return path ? relative(*path) : std::nullopt;
}

std::optional<std::string> PathLocator::locate(pid_t process, int directory, std::string_view path,
                                               FinalLink link) {
  std::string full(path);
  if (!path.starts_with('/')) {
    const auto base = link_text(
        process_path(process, directory == AT_FDCWD ? std::string("cwd") : concat("fd/", directory)));
    if (!base || !base->starts_with('/') || base->ends_with(kDeleted)) return std::nullopt;
    full = concat(*base == "/" ? "" : *base, "/", path);
  }
  for (int links = 0; links < kMostLinks; ++links) {
    while (full.size() > 1 && full.ends_with('/')) full.pop_back();
    // These links lead to files of the process that follows them.
    for (const std::string_view own : {"/proc/self/", "/proc/thread-self/"})
      if (full.starts_with(own)) full = process_path(process, std::string_view(full).substr(own.size()));
    const std::size_t slash = full.rfind('/');
    const std::string name = full.substr(slash + 1);
    if (name == "." || name == "..") {
      const UniqueFd itself = open_directory(process, full);
      const auto text = itself ? link_text(concat("/proc/self/fd/", itself.get())) : std::nullopt;
      return text ? relative(*text) : std::nullopt;
    }
    const UniqueFd parent = open_directory(process, slash == 0 ? "/" : full.substr(0, slash));
    if (!parent) return std::nullopt;
    const auto place = link_text(concat("/proc/self/fd/", parent.get()));
    if (!place) return std::nullopt;
    struct stat status;
    const bool is_link = link == FinalLink::kFollow &&
                         ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                         S_ISLNK(status.st_mode);
    if (!is_link) return relative(concat(*place == "/" ? "" : *place, "/", name));
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(parent.get(), name.c_str(), target.data(), target.size());
    if (length <= 0) return std::nullopt;
    const std::string_view text(target.data(), static_cast<std::size_t>(length));
    full = text.starts_with('/') ? std::string(text) : concat(*place == "/" ? "" : *place, "/", text);
  }
  return std::nullopt;
}

namespace {

using FinalLink = PathLocator::FinalLink;

// One call that waits for its answer.
class TracedCall {
 public:
  TracedCall(const seccomp_notif& call, PathLocator& locator, Recorder& recorder)
      : call_(call), process_(static_cast<pid_t>(call.pid)), locator_(locator), recorder_(recorder) {}

  void record();

 private:
  [[nodiscard]] int number(std::size_t argument) const { return static_cast<int>(call_.data.args[argument]); }
  [[nodiscard]] bool has_flag(std::size_t argument, int flag) const { return (number(argument) & flag) != 0; }

  // The place that a path argument names.
  std::optional<std::string> place(int directory, std::size_t argument, FinalLink link) {
    std::string path;
    const ReadResult read = read_text(process_, call_.data.args[argument], path);
    if (read == ReadResult::kRefused)
      recorder_.note_gap("a file", "the kernel does not let Helve read which one the command changed");
    if (read != ReadResult::kRead || path.empty()) return std::nullopt;
    return locator_.locate(process_, directory, path, link);
  }

  void record_open(int directory, std::size_t path, int flags);
  void record_rename(int from_directory, std::size_t from, int to_directory, std::size_t to);
  void record_link(int from_directory, std::size_t from, int to_directory, std::size_t to, int flags);
  void record_socket();
  void create(int directory, std::size_t path) {
    if (const auto at = place(directory, path, FinalLink::kKeep)) recorder_.before_create(*at);
  }
  void remove(int directory, std::size_t path) {
    if (const auto at = place(directory, path, FinalLink::kKeep)) recorder_.before_remove(*at);
  }
  void change_attributes(int directory, std::size_t path, FinalLink link) {
    if (const auto at = place(directory, path, link)) recorder_.before_attributes(*at);
  }
  void change_open_attributes() {
    if (const auto at = locator_.locate_open(process_, number(0))) recorder_.before_attributes(*at);
  }

  const seccomp_notif& call_;
  const pid_t process_;
  PathLocator& locator_;
  Recorder& recorder_;
};

void TracedCall::record_open(int directory, std::size_t path, int flags) {
  // A file without a name changes nothing until it is linked.
  if ((flags & O_PATH) != 0 || (flags & O_TMPFILE) == O_TMPFILE) return;
  const bool keeps_link = (flags & O_NOFOLLOW) != 0 || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  if (const auto at = place(directory, path, keeps_link ? FinalLink::kKeep : FinalLink::kFollow))
    recorder_.before_write(*at);
}

void TracedCall::record_rename(int from_directory, std::size_t from, int to_directory, std::size_t to) {
  const auto source = place(from_directory, from, FinalLink::kKeep);
  const auto target = place(to_directory, to, FinalLink::kKeep);
  if (source || target) recorder_.before_rename(source ? *source : *target, target ? *target : *source);
}

void TracedCall::record_link(int from_directory, std::size_t from, int to_directory, std::size_t to,
                             int flags) {
  const auto target = place(to_directory, to, FinalLink::kKeep);
  if (!target) return;
  const bool follows = (flags & AT_SYMLINK_FOLLOW) != 0;
  const auto source = place(from_directory, from, follows ? FinalLink::kFollow : FinalLink::kKeep);
  if (source)
    recorder_.before_link(*source, *target);
  else
    recorder_.before_create(*target);
}

void TracedCall::record_socket() {
  sockaddr_un address{};
  const std::size_t size = std::min<std::size_t>(call_.data.args[2], sizeof address);
  if (read_memory(process_, call_.data.args[1], reinterpret_cast<char*>(&address), size) < 3) return;
  if (address.sun_family != AF_UNIX || address.sun_path[0] == '\0') return;
  const std::string path(address.sun_path, ::strnlen(address.sun_path, sizeof address.sun_path));
  if (const auto at = locator_.locate(process_, AT_FDCWD, path, FinalLink::kKeep))
    recorder_.before_create(*at);
}

void TracedCall::record() {
  const auto nofollow = [&](std::size_t argument) {
    return has_flag(argument, AT_SYMLINK_NOFOLLOW) ? FinalLink::kKeep : FinalLink::kFollow;
  };
  switch (call_.data.nr) {
    case SYS_openat: return record_open(number(0), 1, number(2));
    case SYS_renameat2: return record_rename(number(0), 1, number(2), 3);
#ifdef SYS_renameat
    case SYS_renameat: return record_rename(number(0), 1, number(2), 3);
#endif
    case SYS_unlinkat: return remove(number(0), 1);
    case SYS_linkat: return record_link(number(0), 1, number(2), 3, number(4));
    case SYS_symlinkat: return create(number(1), 2);
    case SYS_mkdirat:
    case SYS_mknodat: return create(number(0), 1);
    case SYS_truncate:
      if (const auto at = place(AT_FDCWD, 0, FinalLink::kFollow)) recorder_.before_write(*at);
      return;
    case SYS_fchmod:
    case SYS_fchown: return change_open_attributes();
    case SYS_fchmodat: return change_attributes(number(0), 1, FinalLink::kFollow);
    case SYS_fchownat:
      if (has_flag(4, AT_EMPTY_PATH)) change_open_attributes();
      return change_attributes(number(0), 1, nofollow(4));
    case SYS_bind: return record_socket();
#ifdef SYS_open
    case SYS_open: return record_open(AT_FDCWD, 0, number(1));
    case SYS_creat: return record_open(AT_FDCWD, 0, O_WRONLY | O_CREAT | O_TRUNC);
    case SYS_rename: return record_rename(AT_FDCWD, 0, AT_FDCWD, 1);
    case SYS_unlink:
    case SYS_rmdir: return remove(AT_FDCWD, 0);
    case SYS_link: return record_link(AT_FDCWD, 0, AT_FDCWD, 1, 0);
    case SYS_symlink: return create(AT_FDCWD, 1);
    case SYS_mkdir:
    case SYS_mknod: return create(AT_FDCWD, 0);
    case SYS_chmod:
    case SYS_chown: return change_attributes(AT_FDCWD, 0, FinalLink::kFollow);
    case SYS_lchown: return change_attributes(AT_FDCWD, 0, FinalLink::kKeep);
#endif
    default: return;
  }
}

}  // namespace

void record_call(const seccomp_notif& call, PathLocator& locator, Recorder& recorder) {
  TracedCall(call, locator, recorder).record();
}

}  // namespace helve::effects
