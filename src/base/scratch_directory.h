// A directory for what is needed for a while, and goes when it is not.
#pragma once

#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve {

// Nobody else can look into it. Removed with all that is in it when the object goes.
class ScratchDirectory {
 public:
  // `base` exists; `name` is how the directory's name begins, the rest of which cannot be foreseen.
  [[nodiscard]] static Expected<ScratchDirectory> create(const std::string& base, std::string_view name);

  // Removes those whose process was killed before it could, but also those that were kept.
  static void remove_left_behind(const std::string& base, std::string_view name);

  ScratchDirectory() = default;  // none
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }  // empty: there is none
  // It stays where it is.
  void keep();

 private:
  ScratchDirectory(std::string path, UniqueFd held) : path_(std::move(path)), held_(std::move(held)) {}
  void remove() noexcept;

  std::string path_;
  UniqueFd held_;  // locked, as a sign that somebody uses it
};

// $TMPDIR, or /tmp when that is no directory.
[[nodiscard]] std::string temporary_directory();

}  // namespace helve
