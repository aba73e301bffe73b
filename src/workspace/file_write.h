// Shared by all writes to the disk: the target, durability, writing in pieces, and errors.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::workspace {

// One place in a directory to write, remove or rename. Created by Root::open_parent, which has resolved all
// symlinks and checked that it may be written. Owned by the caller; may be used from several threads at once.
struct WriteTarget {
  UniqueFd directory;                 // O_PATH; stays the same directory even if it is renamed
  std::string name;                   // one component in it
  std::string path;                   // resolved, relative to the root, for messages
  std::optional<struct stat> status;  // as found; nullopt when there is no such file yet
};

// The files that are synced before a change counts as made.
enum class Durability {
  kFull,  // fsync of file and directory: survives a power loss
  kFile,  // fsync of the file: after a power loss either the old or the new content, never a mixture
  kNone,  // left to the kernel: survives a crash of Helve, not of the machine
};

// fsync that continues after a signal. Returns 0 or the error number. A file system without fsync is not an
// error.
[[nodiscard]] int sync_file(int fd);
// The same for a directory, whose handle may be O_PATH.
[[nodiscard]] int sync_directory(int directory);

// Writes the pieces from the start of the file with few system calls. Returns 0 or the error number.
[[nodiscard]] int write_pieces(int fd, std::span<const std::string_view> pieces);

// The history files in error messages.
inline constexpr std::string_view kHistoryName = "the history (in Helve's state directory)";

// Explains why a write failed: a full disk, missing permissions and so on. `action` completes "Cannot …
// PATH": "write", "remove", "create the directory".
[[nodiscard]] Error write_error(std::string_view action, std::string_view path, int error_number);

}  // namespace helve::workspace
