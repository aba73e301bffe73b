// How far a change is pressed towards the disk before it counts as made.
#pragma once

#include "helve/error.h"

namespace helve {

enum class Durability {
  kFull,  // fsync of file and directory: survives a power loss
  kFile,  // fsync of the file: after a power loss the old or the new content, never a torn one
  kNone,  // left to the kernel: survives a crash of Helve, not of the machine
};

// fsync that goes on after a signal. Returns 0 or the error number; a file system that cannot is no error.
[[nodiscard]] int sync_file(int fd);
// The same for a directory, whose handle may be O_PATH.
[[nodiscard]] int sync_directory(int directory);

}  // namespace helve
