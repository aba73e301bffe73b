// File descriptors that close themselves, whole reads and writes, private directories.
#pragma once

#include <sys/types.h>

#include <cstddef>
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

// "No such file or directory" for ENOENT; safe from all threads.
[[nodiscard]] std::string errno_text(int error_number);
// EXECUTION_FAILED (NOT_FOUND for ENOENT) that says what was tried: "Cannot open x: No such file or
// directory".
[[nodiscard]] Error system_error(std::string_view what, int error_number);

[[nodiscard]] Expected<void> write_all(int fd, std::string_view bytes);
[[nodiscard]] Expected<std::string> read_all(int fd, std::size_t max_bytes);

// A file of Helve's own (configuration, state): at most 16 MiB unless told otherwise.
[[nodiscard]] Expected<std::string> read_file(const std::string& path,
                                              std::size_t max_bytes = std::size_t{16} << 20);
// Replaces a file of Helve's own in one step, readable by the user alone.
[[nodiscard]] Expected<void> replace_private_file(const std::string& path, std::string_view bytes);

// The path without symbolic links, "." and "..".
[[nodiscard]] Expected<std::string> real_path(const std::string& path);

// Creates the directory and its parents, each readable by the user alone.
[[nodiscard]] Expected<void> make_private_directories(const std::string& path);

}  // namespace helve
