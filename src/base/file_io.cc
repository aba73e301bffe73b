#include "base/file_io.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/file_lock.h"
#include "base/strings.h"

namespace helve {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string errno_text(int error_number) {
  std::array<char, 128> buffer{};
  return strerror_r(error_number, buffer.data(), buffer.size());
}

Error system_error(std::string_view what, int error_number) {
  const ErrorCode code = error_number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kExecutionFailed;
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT;
  return {code, concat(what, ": ", errno_text(error_number)),
          is_full ? "Free space or inodes on that disk; helve doctor shows how much Helve uses." : "",
          JsonObject{{"errno", error_number}}, error_number == EAGAIN || error_number == EBUSY};
}

namespace {

// For errors; empty for what is not a file.
std::string path_of(int fd) {
  std::array<char, 4096> target{};
  const ssize_t length = ::readlink(concat("/proc/self/fd/", fd).c_str(), target.data(), target.size());
  const std::string_view path(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return path.starts_with('/') ? std::string(path) : std::string();
}

}  // namespace

Expected<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      const std::string path = path_of(fd);
      return fail(system_error(path.empty() ? "Cannot write" : concat("Cannot write ", path), error));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Expected<std::string> read_all(int fd, std::size_t max_bytes) {
  std::string bytes;
  while (true) {
    constexpr std::size_t kChunk = std::size_t{64} << 10;
    const std::size_t start = bytes.size();
    bytes.resize(start + kChunk);
    const ssize_t count = ::read(fd, bytes.data() + start, kChunk);
    if (count < 0 && errno == EINTR) {
      bytes.resize(start);
      continue;
    }
    if (count < 0) return fail(system_error("Cannot read", errno));
    bytes.resize(start + static_cast<std::size_t>(count));
    if (count == 0) return bytes;
    if (bytes.size() > max_bytes)
      return fail(ErrorCode::kInvalidArgument,
                  concat("Input exceeds the limit of ", with_thousands(max_bytes), " bytes."));
  }
}

Expected<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(system_error(concat("Cannot open ", path), errno));
  auto bytes = read_all(fd.get(), max_bytes);
  if (!bytes) bytes.error().message = concat(path, ": ", bytes.error().message);
  return bytes;
}

Expected<UniqueFd> open_regular_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  const auto other = [&](std::string_view kind) {
    return fail(ErrorCode::kInvalidArgument, concat(path, " is ", kind, ", not a regular file."));
  };
  if (!fd && errno == ELOOP) return other("a symbolic link");
  if (!fd && errno == ENXIO) return other("a socket or a device");
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail(system_error(concat("Cannot open ", path), errno));
  if (S_ISDIR(status.st_mode)) return other("a directory");
  if (S_ISFIFO(status.st_mode)) return other("a FIFO");
  if (!S_ISREG(status.st_mode)) return other("a device");
  return fd;
}

Expected<void> replace_private_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = concat(path, ".", random_id("tmp"));
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail(system_error(concat("Cannot create ", temporary), errno));
  auto done = write_all(fd.get(), bytes);
  if (done && ::fsync(fd.get()) != 0) done = fail(system_error(concat("Cannot write ", temporary), errno));
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0)
    done = fail(system_error(concat("Cannot replace ", path), errno));
  if (!done) ::unlink(temporary.c_str());
  return done;
}

Expected<std::string> real_path(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return fail(system_error(concat("Cannot find ", path), errno));
  std::string real = resolved;
  std::free(resolved);
  return real;
}

Expected<void> make_private_directories(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  const std::size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0)
    return fail(system_error(concat("Cannot create the directory ", path), errno));
  if (auto parents = make_private_directories(path.substr(0, slash)); !parents) return parents;
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return fail(system_error(concat("Cannot create the directory ", path), errno));
}

bool path_exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

Expected<UniqueFd> lock_directory(const std::string& path) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return fail(system_error(concat("Cannot open ", path), errno));
  Backoff backoff(std::chrono::seconds(5));
  while (!try_exclusive_lock(directory.get())) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fail(system_error(concat("Cannot lock ", path), errno));
    if (!backoff.wait())
      return fail(ErrorCode::kUnavailable, concat("Another process keeps changing ", path, "."),
                  "Try again.");
  }
  return directory;
}

Expected<LifeMark> create_life_mark(const std::string& directory, std::string_view prefix,
                                    std::string_view ending) {
  for (;;) {
    LifeMark mark{.path = concat(directory, "/", random_id(prefix), ending)};
    mark.lock.reset(::open(mark.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!mark.lock) return fail(system_error(concat("Cannot create ", mark.path), errno));
    // Another process that looks just now may hold the lock for a moment.
    if (const int error = wait_for_lock(mark.lock.get(), LOCK_EX, std::chrono::seconds(5)); error != 0) {
      ::unlink(mark.path.c_str());
      return fail(system_error(concat("Cannot lock ", mark.path), error));
    }
    // It may have removed the file before it was locked.
    struct stat status{};
    if (::fstat(mark.lock.get(), &status) == 0 && status.st_nlink != 0) return mark;
  }
}

}  // namespace helve
