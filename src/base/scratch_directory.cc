#include "base/scratch_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file_lock.h"
#include "base/strings.h"

namespace helve {
namespace {

void remove_tree(const std::string& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// Opens and locks the directory if the current user owns it and no process uses it.
UniqueFd lock_unused(const std::string& path) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!directory || ::fstat(directory.get(), &status) != 0 || status.st_uid != ::geteuid()) return {};
  if (!try_exclusive_lock(directory.get())) return {};
  return directory;
}

}  // namespace

Expected<ScratchDirectory> ScratchDirectory::create(const std::string& base, std::string_view name) {
  for (;;) {
    std::string path = concat(base, "/", name, "XXXXXX");
    if (::mkdtemp(path.data()) == nullptr)
      return fail(system_error(concat("Cannot create a directory in ", base), errno));
    UniqueFd lock = lock_unused(path);
    // Another process's remove_left_behind() may have locked or removed it before this lock.
    if (lock && ::access(path.c_str(), F_OK) == 0) return ScratchDirectory(std::move(path), std::move(lock));
  }
}

void ScratchDirectory::remove_left_behind(const std::string& base, std::string_view name) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(base, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with(name))
      if (const UniqueFd lock = lock_unused(entry->path())) remove_tree(entry->path());
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  lock_ = std::move(other.lock_);
  return *this;
}

void ScratchDirectory::keep() {
  path_.clear();
  lock_.reset();
}

void ScratchDirectory::remove() noexcept {
  if (!path_.empty()) remove_tree(path_);
}

std::string temporary_directory() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string();
  return error ? "/tmp" : path;
}

}  // namespace helve
