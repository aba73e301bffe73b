#include "base/scratch_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve {

Expected<ScratchDirectory> ScratchDirectory::create(std::string_view base, std::string_view name) {
  std::string path = concat(base, "/", name, "XXXXXX");
  if (::mkdtemp(path.data()) == nullptr)
    return fail(system_error(concat("Cannot create a directory in ", base), errno));
  return ScratchDirectory(std::move(path));
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  return *this;
}

void ScratchDirectory::remove() noexcept {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string temporary_directory() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string();
  return error ? "/tmp" : path;
}

}  // namespace helve
