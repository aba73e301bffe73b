// Entries that hold the place of protected paths which do not exist yet, for as long as a command runs.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// A name can only be kept from being made by mounting something over it, and a mount needs an entry to lie
// on. The other ways were looked at and left: an overlay over the directory hides what others change beneath
// it while a server runs for hours; Landlock knows directories, not names, so it would forbid every new file
// beside the protected one; a system call supervisor decides on strings that the command can still change.
//
// So the entry is made on the disk. It is a socket that nobody listens on: git neither lists nor adds
// sockets, and whoever opens one is refused at once, where a pipe would hang and a file would be taken for an
// empty setting. Where the name must be that of a directory (it is `.git`, ends in "/", or the path goes on
// behind it) it is an empty directory, which git passes over as well. Inside of the walls build_view() covers
// the socket with a link to nowhere, so that it reads as missing there, and the directory with itself,
// read-only.
//
// A fixed modification time, a mode and emptiness mark an entry as ours. A shared lock on the directory,
// which the kernel gives back even after SIGKILL, counts the users, so that the last one removes the entry
// and anybody can remove what was left by processes that were all killed.
//
// Owned by the launcher: made before enter_namespaces() (later its handles would lead to a read-only view),
// dropped after the command's init has ended. One thread.
class Placeholders {
 public:
  // Makes what the plan's protected paths lack, takes over what others made or left.
  [[nodiscard]] static Expected<Placeholders> make(const Plan& plan);
  // Takes over only; dropping the result removes what nobody uses. For Helve's start and after a launcher was
  // killed.
  [[nodiscard]] static Placeholders find_abandoned(const Plan& plan);

  Placeholders(Placeholders&&) = default;
  Placeholders& operator=(Placeholders&&) = delete;
  ~Placeholders() { remove(); }

  // The number of entries removed; those that another command still needs stay.
  std::size_t remove();
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  struct Directory {
    UniqueFd handle;  // holds the lock; one per directory, or our own locks would exclude each other
    std::string path;
    dev_t device;
    ino_t inode;
    std::vector<std::string> names;
  };

  Placeholders() = default;
  [[nodiscard]] Expected<void> cover(const Plan& plan, std::string_view path, bool make_missing);
  [[nodiscard]] Directory* lock(const std::string& path);

  std::vector<Directory> directories_;
  pid_t owner_ = ::getpid();  // a forked child that drops its copy removes nothing
};

[[nodiscard]] bool is_placeholder(const struct stat& status);

}  // namespace helve::sandbox
