// Files and directories: owned descriptors, whole reads and writes, paths and locks.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "helve/error.h"

namespace helve {

// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

// "No such file or directory" for ENOENT. Thread-safe.
[[nodiscard]] std::string errno_text(int error_number);
// NOT_FOUND for ENOENT, otherwise EXECUTION_FAILED. `what` is the failed action: "Cannot open x" gives
// "Cannot open x: No such file or directory".
[[nodiscard]] Error system_error(std::string_view what, int error_number);

[[nodiscard]] Expected<void> write_all(int fd, std::string_view bytes);
[[nodiscard]] Expected<std::string> read_all(int fd, std::size_t max_bytes);

// Reads one of Helve's own files (configuration, state), by default at most 16 MiB.
[[nodiscard]] Expected<std::string> read_file(const std::string& path,
                                              std::size_t max_bytes = std::size_t{16} << 20);
// Opens a regular file for reading. Never waits, and follows no link: a FIFO, a device or a link is an
// INVALID_ARGUMENT that names it.
[[nodiscard]] Expected<UniqueFd> open_regular_file(const std::string& path);
// Atomically replaces one of Helve's own files. Only the user can read it.
[[nodiscard]] Expected<void> replace_private_file(const std::string& path, std::string_view bytes);

// The path without symlinks, "." and "..".
[[nodiscard]] Expected<std::string> real_path(const std::string& path);

// Creates the directory and its parents. Only the user can read them.
[[nodiscard]] Expected<void> make_private_directories(const std::string& path);

// True for anything with that name, including a dangling symlink.
[[nodiscard]] bool path_exists(const std::string& path);

// True if `path` is `directory` or inside it. Compares whole components; both paths are absolute and have no
// trailing `/`.
[[nodiscard]] constexpr bool is_within(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

// An exclusive lock, held until the descriptor is closed, so that two Helve processes do not overwrite each
// other's changes. Waits up to 5 seconds for the current holder, then fails with UNAVAILABLE.
[[nodiscard]] Expected<UniqueFd> lock_directory(const std::string& path);

// A file whose lock shows other processes that this one lives.
struct LifeMark {
  UniqueFd lock;
  std::string path;
};
// Creates it with a random name. Others may remove it when they get the lock.
[[nodiscard]] Expected<LifeMark> create_life_mark(const std::string& directory, std::string_view prefix,
                                                  std::string_view ending);

}  // namespace helve
