// Placeholder entries that keep a command from creating protected paths that do not exist yet.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// Only a mount over a name prevents its creation, and a mount needs an existing entry. The alternatives do
// not work: an overlay hides changes that others make below it while a server runs for hours; Landlock knows
// directories, not names, so it would forbid every new file beside the protected one; a system call
// supervisor checks strings that the command can still change.
//
// So a placeholder is created on disk:
//   - Normally a socket without a listener. Git neither lists nor adds sockets, and opening one fails at
//   once; a
//     pipe would hang, and a file would be read as an empty setting. In the sandbox build_view() mounts a
//     dangling symlink over it, so that the path reads as missing.
//   - Nothing on a full disk, where commands cannot create any name instead.
//   - An empty directory for `.git`, where git outside of the sandbox would stumble over a socket. In the
//   sandbox it
//     is read-only. Git ignores it, but `git clean -d` and `git stash -u` fail on other empty directories.
//
// Placeholders are recognised by a fixed modification time, their mode and emptiness. Each user holds a
// shared lock on the directory, which the kernel releases even after SIGKILL. The last user removes the
// placeholder, and any later process can remove placeholders whose users were all killed.
//
// Owned by the launcher: created before enter_namespaces() (later its handles would refer to a read-only
// view), destroyed after the command's init has ended. Single-threaded.
class ReservedPaths {
 public:
  // Creates placeholders for the plan's missing protected paths, and shares existing ones.
  [[nodiscard]] static Expected<ReservedPaths> make(const Plan& plan);
  // Finds existing placeholders only; destroying the result removes the unused ones. For Helve's start and
  // after a launcher was killed.
  [[nodiscard]] static ReservedPaths find_abandoned(const Plan& plan);

  ReservedPaths(ReservedPaths&&) = default;
  ReservedPaths& operator=(ReservedPaths&&) = delete;
  ~ReservedPaths() { remove(); }

  // The disk has no room for a missing entry: the plan needs `no_new_names`.
  [[nodiscard]] bool lacks_room() const { return lacks_room_; }
  // Returns the number of removed entries; those that another command needs stay.
  std::size_t remove();
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  struct Directory {
    UniqueFd handle;  // holds the lock; one per directory, or our own locks would conflict
    std::string path;
    dev_t device;
    ino_t inode;
    std::vector<std::string> names;
  };

  ReservedPaths() = default;
  [[nodiscard]] Expected<void> reserve(const Plan& plan, std::string_view path, bool make_missing);
  [[nodiscard]] Directory* lock(const std::string& path);

  std::vector<Directory> directories_;
  bool lacks_room_ = false;
  pid_t owner_ = ::getpid();  // a forked child that destroys its copy removes nothing
};

// Where a placeholder keeps a protected path from being created: its first missing name, or the placeholder
// that is there already. Nothing if the path exists.
[[nodiscard]] std::optional<std::string> reserved_path(std::string_view path);

[[nodiscard]] bool is_placeholder(const struct stat& status);

}  // namespace helve::sandbox
