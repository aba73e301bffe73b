// A directory for what is needed for a while, and goes when it is not.
#pragma once

#include <string>
#include <string_view>

#include "helve/error.h"

namespace helve {

// Nobody else can look into it. Removed with all that is in it when the object goes.
class ScratchDirectory {
 public:
  // `base` exists; `name` is how the directory's name begins, the rest of which cannot be foreseen.
  [[nodiscard]] static Expected<ScratchDirectory> create(std::string_view base, std::string_view name);

  ScratchDirectory() = default;  // none
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }  // empty: there is none
  // It stays where it is.
  void keep() { path_.clear(); }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  void remove() noexcept;

  std::string path_;
};

// $TMPDIR, or /tmp when that is no directory.
[[nodiscard]] std::string temporary_directory();

}  // namespace helve
