// A temporary directory that is removed with its owner.
#pragma once

#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve {

// Private to the user. The destructor removes it with its contents.
class ScratchDirectory {
 public:
  // `base` must exist. The directory's name is `name` and a random suffix.
  [[nodiscard]] static Expected<ScratchDirectory> create(const std::string& base, std::string_view name);

  // Removes directories that killed processes left behind, and also those that were kept with keep().
  static void remove_left_behind(const std::string& base, std::string_view name);

  ScratchDirectory() = default;  // no directory
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }  // empty if there is none
  // Leaves the directory in place when this object is destroyed.
  void keep();

 private:
  ScratchDirectory(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  void remove() noexcept;

  std::string path_;
  UniqueFd lock_;  // marks the directory as in use
};

// $TMPDIR, or /tmp if that is not a directory.
[[nodiscard]] std::string temporary_directory();

}  // namespace helve
